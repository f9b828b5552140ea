import { expect, it } from 'vitest'
import { accountIn, entryOf } from '../../../../src/domain/payments/instructions.ts'

it('an entry is the first that is a text or a number', () => {
  expect(entryOf({ qr_string: '', qr_code: 12 }, 'qr_string', 'qr_code')).toBe('12')
  expect(entryOf({ pay_id: { nested: true } }, 'pay_id', 'toString', '__proto__')).toBeNull()
})

it('an account stands beside the other entries, or in an object of its own', () => {
  const bank = { bank_name: 'Bank', account_number: '0012' }
  expect(accountIn(bank)).toEqual(bank)
  expect(accountIn({ qr_string: '000201', bank_information: bank })).toMatchObject(bank)
  for (const none of [
    { qr_string: '000201' },
    { bank_information: null },
    { bank_information: 'x', account_number: '' },
  ])
    expect(accountIn(none)).toBeNull()
})
