import { describe, expect, it } from 'vitest'
import type { PAY_ID_TYPES } from '../../../../src/domain/agreements/agreement-report.ts'
import {
  agreementRequestProblems,
  amendRequestProblems,
  type AgreementPayerRequest,
  type AgreementRequest,
  type AmendmentRequest,
} from '../../../../src/domain/agreements/agreement-rules.ts'

const ACCOUNT = { bsb: '062-000', accountNumber: '12345678' }
const REQUEST: AgreementRequest = {
  clientTransactionId: 'mandate-1',
  limit: { value: '100.50', currency: 'AUD' },
  description: 'Gym membership',
  purpose: 'RETAIL',
  amountRule: 'VARIABLE',
  frequency: 'MONTHLY',
  startDate: '2030-02-01',
  payer: { name: 'Ada Payer', bankAccount: ACCOUNT },
}

/** Returns the paths of the problems, each joined by dots. */
function problems(over: Partial<AgreementRequest>): string[] {
  return agreementRequestProblems({ ...REQUEST, ...over }).map(({ path, message }) => {
    expect(message).toMatch(/^must /)
    return path.join('.')
  })
}

const payer = (over: Partial<AgreementPayerRequest>) => problems({ payer: { name: 'Ada Payer', ...over } })
const alias = (type: (typeof PAY_ID_TYPES)[number], value: string) => payer({ payId: { type, value } })

describe('agreementRequestProblems', () => {
  it('finds nothing wrong with a bank account, an alias, or both', () => {
    const payId = { type: 'EMAIL', value: 'ada@example.test' } as const
    expect(problems({})).toEqual([])
    expect(problems({ reference: 'member-7', site: 'au' })).toEqual([])
    expect(payer({ payId })).toEqual([])
    expect(payer({ payId, bankAccount: ACCOUNT })).toEqual([])
    expect(payer({ payId, bankAccount: null })).toEqual([])
  })

  it('asks for one of them at least', () => {
    expect(payer({})).toEqual(['payer'])
    expect(payer({ bankAccount: null, payId: null })).toEqual(['payer'])
  })

  it.each([
    ['clientTransactionId', 1, 90],
    ['description', 5, 140],
    ['reference', 1, 255],
  ] as const)('holds %s to %d to %d characters', (name, shortest, longest) => {
    for (const right of ['a'.repeat(shortest), 'a'.repeat(longest)]) expect(problems({ [name]: right })).toEqual([])
    for (const wrong of [
      'a'.repeat(shortest - 1),
      'a'.repeat(longest + 1),
      ' '.repeat(shortest),
      `${'a'.repeat(shortest)}\n`,
    ])
      expect(problems({ [name]: wrong })).toEqual([name])
  })

  it('holds the limit to an amount in AUD', () => {
    for (const value of ['0', '0.00', '-1', '1.234', '1e3', '', '1,000']) {
      expect(problems({ limit: { value, currency: 'AUD' } })).toEqual(['limit.value'])
    }
    expect(problems({ limit: { value: '1', currency: 'NZD' } })).toEqual(['limit.currency'])
    expect(problems({ limit: { value: '1.5', currency: 'JPY' } })).toEqual(['limit.value', 'limit.currency'])
  })

  it.each([
    ...'1999-12-31 2100-01-01 1900-02-29 2030-1-1 01/02/30 20300201 2030-02-01T00:00:00Z +002030-02-01'.split(' '),
    ' 2030-02-01',
    '2030-02-01\n',
    '',
  ])('refuses %j as the first day', (startDate) => expect(problems({ startDate })).toEqual(['startDate']))

  it('knows every day of the century, and no other', () => {
    const days = new Set<string>()
    for (let time = Date.UTC(2000, 0, 1); time < Date.UTC(2100, 0, 1); time += 86_400_000)
      days.add(new Date(time).toISOString().slice(0, 10))
    for (let month = 0; month <= 13; month += 1)
      for (let day = 0; day <= 32; day += 1)
        for (const year of [2000, 2023, 2024, 2099]) {
          const startDate = [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
          expect(`${startDate} ${problems({ startDate }).length === 0}`).toBe(`${startDate} ${days.has(startDate)}`)
        }
  })

  it('holds the name to letters, digits and spaces', () => {
    expect(payer({ name: "O'Neill", bankAccount: ACCOUNT })).toEqual(['payer.name'])
  })

  it('holds a bank account to digits', () => {
    for (const bsb of ['062000', '062-000']) expect(payer({ bankAccount: { ...ACCOUNT, bsb } })).toEqual([])
    for (const bsb of [
      '',
      '62000',
      '0620000',
      '06-2000',
      '062 000',
      '062-00a',
      '062--000',
      '062-000\n',
      '０６２０００',
    ])
      expect(payer({ bankAccount: { ...ACCOUNT, bsb } })).toEqual(['payer.bankAccount.bsb'])
    for (const accountNumber of ['1', '123456789', '1'.repeat(20)])
      expect(payer({ bankAccount: { ...ACCOUNT, accountNumber } })).toEqual([])
    for (const accountNumber of ['', '1 2', '1-2', 'x', '1'.repeat(21), '1\n'])
      expect(payer({ bankAccount: { ...ACCOUNT, accountNumber } })).toEqual(['payer.bankAccount.accountNumber'])
  })

  it.each([
    ['EMAIL', 'ada@example.test'],
    ['PHONE', '+61-412345678'],
    ['PHONE', '+61412345678'],
    ['PHONE', '+1-2025550100'],
    ['PHONE', '+852-55501000'],
    ['PHONE', '+123456789012345'],
    ['PHONE', '+1234567'],
    ['ABN', '51824753556'],
  ] as const)('takes the alias %s %s', (type, value) => expect(alias(type, value)).toEqual([]))

  it.each([
    ['EMAIL', 'ada'],
    ['EMAIL', '+61412345678'],
    ['PHONE', '0412345678'],
    ['PHONE', '61412345678'],
    ['PHONE', '+0412345678'],
    ['PHONE', '+61-412-345-678'],
    ['PHONE', '+61 412345678'],
    ['PHONE', '+6141-2345678'],
    ['PHONE', '+61-'],
    ['PHONE', '+-61412345678'],
    ['PHONE', '+61-412345678-'],
    ['PHONE', '+123456'],
    ['PHONE', '+1234567890123456'],
    ['PHONE', `+${'1'.repeat(100_000)}`],
    ['PHONE', ''],
    ['ABN', '5182475355'],
    ['ABN', '518247535567'],
    ['ABN', '51 824 753 556'],
    ['ABN', '5182475355x'],
    ['ABN', ''],
  ] as const)('refuses the alias %s %.30j', (type, value) => expect(alias(type, value)).toEqual(['payer.payId.value']))

  it('tells everything that is wrong at once, and nothing of the payer', () => {
    const found = agreementRequestProblems({
      ...REQUEST,
      clientTransactionId: '',
      limit: { value: 'x', currency: 'USD' },
      startDate: 'x',
      description: 'x',
      payer: {
        name: 'Zoë!',
        bankAccount: { bsb: '98765x', accountNumber: '98765x' },
        payId: { type: 'ABN', value: '98765x' },
      },
      reference: '',
    })
    expect(found.map(({ path }) => path.join('.'))).toEqual(
      'clientTransactionId limit.value limit.currency startDate description payer.name'
        .split(' ')
        .concat('payer.bankAccount.bsb payer.bankAccount.accountNumber payer.payId.value reference'.split(' ')),
    )
    expect(JSON.stringify(found)).not.toMatch(/Zoë|98765/)
  })
})

describe('amendRequestProblems', () => {
  const AMENDMENT: AmendmentRequest = {
    idempotencyKey: 'key-1',
    id: 'agreement-1',
    limit: { value: '250', currency: 'AUD' },
    amountRule: 'FIXED',
    frequency: 'WEEKLY',
    startDate: '2030-02-01',
  }
  const amendment = (over: Partial<AmendmentRequest>) =>
    amendRequestProblems({ ...AMENDMENT, ...over }).map(({ path }) => path.join('.'))

  it('holds new terms to the same rules', () => {
    expect(amendment({})).toEqual([])
    expect(amendment({ limit: { value: '0', currency: 'AUD' } })).toEqual(['limit.value'])
    expect(amendment({ limit: { value: '1', currency: 'USD' } })).toEqual(['limit.currency'])
    expect(amendment({ startDate: '2030-02-30' })).toEqual(['startDate'])
  })

  it.each(['idempotencyKey', 'id'] as const)('asks for %s', (name) => {
    expect(amendment({ [name]: 'a'.repeat(255) })).toEqual([])
    for (const wrong of ['', ' ', 'a'.repeat(256), 'a\n']) expect(amendment({ [name]: wrong })).toEqual([name])
  })
})
