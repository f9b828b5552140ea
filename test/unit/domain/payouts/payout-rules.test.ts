import { describe, expect, it } from 'vitest'
import { parseFieldDescriptor } from '../../../../src/domain/methods/payin-method.ts'
import type { PayoutMethodRequirements } from '../../../../src/domain/payouts/payout-report.ts'
import {
  payoutRequestProblems,
  type PayoutRequest,
  type PayoutTransactionRequest,
} from '../../../../src/domain/payouts/payout-rules.ts'

const NOW = new Date('2030-01-02T03:04:05.678Z')
const TRANSACTION: PayoutTransactionRequest = {
  firstName: 'Ada',
  lastName: 'Payee',
  email: 'ada@example.test',
  amount: '200',
  methodFields: { account_number: '1', account_name: 'Ada Payee', bank_code: '600' },
}
const REQUEST: PayoutRequest = {
  idempotencyKey: 'key-1',
  currency: 'PHP',
  methodCode: 'ph_bank_maya_php',
  description: 'Wages',
  transactions: [TRANSACTION],
}
const REQUIREMENTS: PayoutMethodRequirements = {
  code: 'ph_bank_maya_php',
  currency: 'PHP',
  description: null,
  minAmount: '200',
  maxAmount: '50000',
  networks: null,
  symbol: null,
  logo: null,
  refundable: null,
  cancellable: null,
  requiresContact: null,
  requiresKyc: null,
  fields: [
    parseFieldDescriptor('account_number', 'string:Mandatory'),
    parseFieldDescriptor('bank_code', 'string:Mandatory'),
    parseFieldDescriptor('branch', 'integer:Optional'),
  ],
  banks: ['600', '0004', '0021', '21'].map((code) => ({ code, name: code, shortName: null })),
}

/** Returns the paths of the problems, each joined by dots. */
function problems(
  over: Partial<PayoutRequest>,
  requirements: PayoutMethodRequirements | null = REQUIREMENTS,
): string[] {
  return payoutRequestProblems({ ...REQUEST, ...over }, requirements, NOW).map(({ path, message }) => {
    expect(message).toMatch(/^(?:must|is) /)
    return path.join('.')
  })
}

const second = (
  over: Partial<PayoutTransactionRequest>,
  requirements: PayoutMethodRequirements | null = REQUIREMENTS,
) => problems({ transactions: [TRANSACTION, { ...TRANSACTION, ...over }] }, requirements)

describe('payoutRequestProblems', () => {
  it('finds codes that have lost their leading zeros', () => {
    const paths = (methodFields: Record<string, unknown>) =>
      second({ methodFields: { account_number: '1', ...methodFields } })
    expect(paths({ bank_code: '4' })).toEqual(['transactions.1.methodFields.bank_code'])
    for (const code of ['0004', '21', '5']) expect(paths({ bank_code: code })).toEqual([])
    expect(paths({ bank_code: '600', bsb: '62000' })).toEqual(['transactions.1.methodFields.bsb'])
    for (const bsb of ['062000', '062-000', '062 000']) expect(paths({ bank_code: '600', bsb })).toEqual([])
  })

  it('finds nothing wrong with the least, and with everything', () => {
    expect(problems({})).toEqual([])
    expect(problems({}, null)).toEqual([])
    const scheduledAt = new Date(NOW.getTime() + 1)
    expect(problems({ reference: 'batch-1', scheduledAt, site: 'ph' })).toEqual([])
    expect(problems({ reference: null, scheduledAt: null })).toEqual([])
    expect(second({ reference: '7' })).toEqual([])
  })

  it.each([
    ['idempotencyKey', 1, 255],
    ['description', 5, 90],
    ['reference', 1, 255],
  ] as const)('holds %s to %d to %d characters', (name, shortest, longest) => {
    for (const right of ['a'.repeat(shortest), 'a'.repeat(longest)]) expect(problems({ [name]: right })).toEqual([])
    for (const wrong of [
      'a'.repeat(shortest - 1),
      'a'.repeat(longest + 1),
      ' '.repeat(shortest),
      `${'a'.repeat(shortest)}\0`,
    ])
      expect(problems({ [name]: wrong })).toEqual([name])
  })

  it('holds the method to the currency of the batch', () => {
    expect(problems({ methodCode: 'kr_bank_krw' }, null)).toEqual(['methodCode'])
    expect(problems({ methodCode: '' }, null)).toEqual(['methodCode'])
    expect(problems({}, { ...REQUIREMENTS, currency: 'KRW' })).toEqual(['methodCode'])
  })

  it('is not for the past, nor for now, nor for no time at all', () => {
    for (const time of [NOW.getTime(), NOW.getTime() - 1, 0, Number.NaN])
      expect(problems({ scheduledAt: new Date(time) })).toEqual(['scheduledAt'])
  })

  it('pays one to 500', () => {
    const many = (length: number, email: string) =>
      problems({ transactions: Array.from({ length }, () => ({ ...TRANSACTION, email })) })
    expect(many(0, TRANSACTION.email)).toEqual(['transactions'])
    expect(many(500, TRANSACTION.email)).toEqual([])
    expect(many(500, '')).toHaveLength(500)
    expect(many(501, '')).toEqual(['transactions'])
  })

  it.each(['firstName', 'lastName'] as const)('holds %s to letters, digits and spaces', (name) => {
    for (const right of ['Ada', 'Ada 3', 'José', 'สมชาย']) expect(second({ [name]: right })).toEqual([])
    for (const wrong of ['', ' Ada', 'Ada ', "O'Neill", 'A-B', 'A\nB'])
      expect(second({ [name]: wrong })).toEqual([`transactions.1.${name}`])
  })

  it('holds each amount to the currency and to the limits', () => {
    for (const amount of ['200', '200.00', '50000']) expect(second({ amount })).toEqual([])
    for (const amount of ['0', '-1', '200.001', 'x', '199.99', '50000.01'])
      expect(second({ amount })).toEqual(['transactions.1.amount'])
    expect(second({ amount: '199.99' }, null)).toEqual([])
    const won = { currency: 'KRW', methodCode: 'kr_bank_krw' }
    expect(problems({ ...won, transactions: [{ ...TRANSACTION, amount: '1000.5' }] }, null)).toEqual([
      'transactions.0.amount',
    ])
  })

  it('holds e-mail address and external id', () => {
    expect(second({ email: 'ada' })).toEqual(['transactions.1.email'])
    for (const reference of ['', ' ', 'a'.repeat(256)])
      expect(second({ reference })).toEqual(['transactions.1.reference'])
    expect(second({ reference: null })).toEqual([])
  })

  it('asks each payee for what the method asks for', () => {
    expect(second({ methodFields: {} })).toEqual([
      'transactions.1.methodFields.account_number',
      'transactions.1.methodFields.bank_code',
    ])
    expect(second({ methodFields: { account_number: '1', bank_code: 600, branch: 'x' } })).toEqual([
      'transactions.1.methodFields.bank_code',
      'transactions.1.methodFields.branch',
    ])
    expect(second({ methodFields: {} }, null)).toEqual([])
  })

  it('tells everything that is wrong at once, and nothing of the payees', () => {
    const wrong = { ...TRANSACTION, firstName: 'Zoë!', lastName: 'Zoë!', email: 'Zoë!', amount: '0' }
    const found = payoutRequestProblems(
      { ...REQUEST, description: '', transactions: [wrong, TRANSACTION, wrong] },
      REQUIREMENTS,
      NOW,
    )
    expect(found.map(({ path }) => path.join('.'))).toEqual([
      'description',
      ...[0, 2].flatMap((index) =>
        ['firstName', 'lastName', 'email', 'amount'].map((name) => `transactions.${index}.${name}`),
      ),
    ])
    expect(JSON.stringify(found)).not.toContain('Zoë')
  })
})
