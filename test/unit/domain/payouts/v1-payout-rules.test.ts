import { describe, expect, it } from 'vitest'
import {
  normalisePayoutRequest,
  payoutRequestProblems,
  type PayoutRequest,
  type PayoutTransactionRequest,
  V1_METHOD_CODE,
  V1_REQUIREMENTS,
  v1PayoutId,
  v1PayoutNumber,
} from '../../../../src/domain/payouts/payout-rules.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const ACCOUNT = { bsb: '062-000', account_number: '112233445' }

const payee = (over: Partial<PayoutTransactionRequest> = {}): PayoutTransactionRequest => ({
  firstName: 'Ada',
  lastName: 'Payee',
  email: 'ada@payee.test',
  amount: '40.25',
  methodFields: ACCOUNT,
  ...over,
})

const request = (over: Partial<PayoutRequest> = {}, ...transactions: PayoutTransactionRequest[]): PayoutRequest =>
  normalisePayoutRequest({
    idempotencyKey: 'key',
    currency: 'AUD',
    methodCode: V1_METHOD_CODE,
    description: 'Refunds of the week',
    transactions: transactions.length === 0 ? [payee()] : transactions,
    ...over,
  })

const faults = (asked: PayoutRequest): string[] =>
  payoutRequestProblems(asked, V1_REQUIREMENTS, NOW).map(({ path }) => path.join('.'))

const fieldsOf = (methodFields: Record<string, unknown>) =>
  request({}, payee({ methodFields })).transactions[0]?.methodFields

describe('a v1 payout', () => {
  it.each<[string, Partial<PayoutTransactionRequest>]>([
    ['an account', {}],
    ['a BSB without its hyphen', { methodFields: { ...ACCOUNT, bsb: '062 000' } }],
    ['an address', { methodFields: { ...ACCOUNT, address: '1 Engine Street' } }],
    ['an e-mail address', { methodFields: { payid: 'ada@payee.test' } }],
    ['a phone number', { methodFields: { payid: '0412 345 678' } }],
    ['an ABN', { methodFields: { payid: '51 824 753 556' } }],
    ['an ABN that begins like a mobile number', { methodFields: { payid: '61400155532' } }],
    ['an ACN', { methodFields: { payid: '004 085 616' } }],
    ['an apostrophe', { firstName: 'Miles', lastName: "O'Brien" }],
    ['one name', { firstName: 'Tenders 4 Teens', lastName: '' }],
  ])('with %s may be sent', (_name, over) => {
    expect(faults(request({ retry: true, description: 'x'.repeat(140) }, payee(over)))).toEqual([])
  })

  it.each<[string, Partial<PayoutTransactionRequest>]>([
    ['firstName', { firstName: '', lastName: '' }],
    ['firstName', { firstName: 'Ada & Co' }],
    ['reference', { reference: '7' }],
    ['email', { email: 'nobody' }],
    ['amount', { amount: '1.005' }],
    ['methodFields.payid', { methodFields: {} }],
    ['methodFields.payid', { methodFields: { ...ACCOUNT, payid: 'ada@payee.test' } }],
    ['methodFields.payid', { methodFields: { payid: 'ada' } }],
    ['methodFields.payid', { methodFields: { payid: 7 } }],
    ['methodFields.payid', { methodFields: { payid: '+64 21 123 4567' } }],
    ['methodFields.payid', { methodFields: { payid: '412345678' } }],
    ['methodFields.payid', { methodFields: { payid: '61412345678' } }],
    ['methodFields.payid', { methodFields: { payid: 'ada\0@payee.test' } }],
    ['methodFields.payid', { methodFields: { payid: 'ada\u200B@payee.test' } }],
    ['email', { email: 'ada\uD800@payee.test' }],
    ['firstName', { firstName: '\u0301Ada' }],
    ['methodFields.bsb', { methodFields: { account_number: '112233445' } }],
    ['methodFields.bsb', { methodFields: { ...ACCOUNT, bsb: '62000' } }],
    ['methodFields.account_number', { methodFields: { bsb: '062-000' } }],
    ['methodFields.account_number', { methodFields: { ...ACCOUNT, account_number: '12-34' } }],
    ['methodFields.account_number', { methodFields: { ...ACCOUNT, account_number: 112 } }],
    ['methodFields.acount', { methodFields: { ...ACCOUNT, acount: '1' } }],
    ['methodFields.address', { methodFields: { ...ACCOUNT, address: 'x'.repeat(256) } }],
  ])('with a wrong %s is refused', (path, over) => {
    expect(faults(request({}, payee(), payee(over)))).toEqual([`transactions.1.${path}`])
  })

  it('has a description of at most 140 characters, and its currency', () => {
    expect(faults(request({ description: 'x'.repeat(141) }))).toEqual(['description'])
    expect(faults(request({ currency: 'NZD' }))).toContain('methodCode')
  })

  it('alone may be retried', () => {
    const other = { methodCode: 'au_bank_aud', retry: false }
    expect(payoutRequestProblems(request(other), null, NOW).map(({ path }) => path)).toEqual([['retry']])
  })

  it('is sent as the payments API writes it', () => {
    expect(request({}, payee({ firstName: ' Miles ', lastName: 'O’Brien' })).transactions).toMatchObject([
      { firstName: 'Miles', lastName: "O'Brien" },
    ])
    expect(fieldsOf({ payid: ' Ada@Payee.Test ', bsb: null, address: ' ' })).toEqual({ payid: 'ada@payee.test' })
    expect(fieldsOf({ payid: '0412 345 678' })).toEqual({ payid: '+61-412345678' })
    expect(fieldsOf({ payid: '+61412345678' })).toEqual({ payid: '+61-412345678' })
    expect(fieldsOf({ payid: '+614-12345678' })).toEqual({ payid: '+61-412345678' })
    expect(fieldsOf({ payid: '+64-211234567' })).toEqual({ payid: '+64-211234567' })
  })

  it('has its number in its id', () => {
    expect(v1PayoutNumber(v1PayoutId('4711'))).toBe('4711')
    for (const id of ['OHXTEF9M', 'v1-', 'v1-0', 'v1-01', 'v1-1x', 'V1-1', `v1-${'9'.repeat(19)}`])
      expect(v1PayoutNumber(id)).toBeNull()
  })
})
