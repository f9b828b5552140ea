import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { traitsOf, OPEN_AMOUNT } from '../../../../src/domain/methods/payin-method.ts'
import {
  type PaymentDetails,
  PAYMENT_STATUSES,
  recogniseStatus,
} from '../../../../src/domain/payments/payment-report.ts'
import { refundExpiresAt, refundProblem, type RefundCommand } from '../../../../src/domain/payments/refund-rules.ts'
import { report } from '../../../store/contract/builders.ts'

const ANY = traitsOf('CARD')
const WHOLE: RefundCommand = { idempotencyKey: 'key-1', description: 'Sent back' }

/** Returns a payment of 100.00 AUD in a status. */
function payment(statusRaw: string, details: Partial<PaymentDetails> = {}) {
  return {
    statusRaw,
    status: recogniseStatus(statusRaw),
    details: report(statusRaw, { details: { amount: '100.00', paid: '100.00', ...details } }).details,
  }
}

function of(value: string, currency = 'AUD'): RefundCommand {
  return { ...WHOLE, amount: { value, currency } }
}

/** Returns the paths of the problems of an invalid input, or the kind of another problem; null if there is none. */
function outcome(...given: Parameters<typeof refundProblem>): string | null {
  const found = refundProblem(...given)
  if (found?.kind !== 'invalid-input') return found?.kind ?? null
  return found.problems.map(({ path }) => path.join('.')).join()
}

describe('refundProblem', () => {
  const card = { brand: 'visa', type: null, last4: null, countryCode: null }

  it.each([...PAYMENT_STATUSES, 'quite_new'])('knows whether a payment that is %s can be refunded', (status) => {
    const can = ['received', 'partially_refunded', 'return_rejected', 'return_expired'].includes(status)
    const conflict = { kind: 'state-conflict', statusRaw: status }
    expect(refundProblem(payment(status), WHOLE, ANY)).toEqual(can ? null : conflict)
    for (const details of [{ card }, { methodRaw: 'card' }, { methodRaw: 'au_card_aud' }])
      expect(refundProblem(payment(status, details), WHOLE, ANY)).toEqual(can || status === 'waiting' ? null : conflict)
  })

  it('never refunds mobile money, whatever its status', () => {
    for (const status of ['received', 'pending'])
      expect(outcome(payment(status), WHOLE, traitsOf('MOBILE_MONEY'))).toBe('not-supported')
  })

  it('holds to what the payments API says of the payment, once it could be refunded', () => {
    expect(outcome(payment('received', { refundable: false }), WHOLE, ANY)).toBe('not-supported')
    expect(outcome(payment('pending', { refundable: false }), WHOLE, ANY)).toBe('state-conflict')
    for (const refundable of [true, null]) expect(outcome(payment('received', { refundable }), WHOLE, ANY)).toBeNull()
  })

  it('asks for a reason of five characters', () => {
    expect(outcome(payment('received'), { ...WHOLE, description: 'abcde' }, ANY)).toBeNull()
    for (const description of ['', 'abcd', 'abc  ', 'abcd\n', 'a'.repeat(501)])
      expect(outcome(payment('received'), { ...WHOLE, description }, ANY)).toBe('description')
  })

  it('looks at the input before it looks at the payment', () => {
    const wrong = { ...WHOLE, amount: { value: '0', currency: 'USD' }, description: '' }
    for (const status of ['received', 'pending'])
      expect(outcome(payment(status), wrong, traitsOf('MOBILE_MONEY'))).toBe('amount.value,amount.currency,description')
  })

  it.each([
    ['received', {}, '100'],
    ['received', { paid: '150.5' }, '150.50'],
    ['received', { paid: null }, '100'],
    ['received', { paid: '0' }, '100'],
    ['waiting', { methodRaw: 'card', paid: '0.0' }, '100'],
    ['partially_refunded', { refunded: '30.5' }, '69.50'],
    ['partially_refunded', { refunded: '99.99' }, '0.01'],
    // The payment still contains the refund that was requested and rejected.
    ['return_rejected', { refunded: '100.00' }, '100'],
    ['return_expired', { refunded: '40' }, '100'],
  ])('of one that is %s with %o gives at most %s', (status, details, most) => {
    const made = payment(status, details)
    expect(outcome(made, of(most), ANY)).toBeNull()
    expect(outcome(made, WHOLE, ANY)).toBeNull()
    const cents = BigInt(Math.round(Number(most) * 100)) + 1n
    expect(outcome(made, of(`${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`), ANY)).toBe('amount.value')
  })

  it('gives nothing back twice', () => {
    for (const refunded of ['100', '100.000', '120'])
      expect(outcome(payment('partially_refunded', { refunded }), WHOLE, ANY)).toBe('state-conflict')
  })

  it.each([
    { amount: OPEN_AMOUNT, paid: null },
    { amount: OPEN_AMOUNT, paid: '0.0' },
    { amount: null, paid: null },
  ])('leaves the amount to the payments API where it has told none: %j', (details) => {
    const open = payment('received', details)
    expect(outcome(open, WHOLE, ANY)).toBeNull()
    expect(outcome(open, of('12.5'), ANY)).toBeNull()
  })

  it('goes by what was paid where the payer chose the amount', () => {
    const open = payment('received', { amount: OPEN_AMOUNT, paid: '12.50' })
    expect(outcome(open, of('12.5'), ANY)).toBeNull()
    expect(outcome(open, of('12.51'), ANY)).toBe('amount.value')
  })

  it.each([
    ['partially_refunded', { refunded: '30.5' }, '69.50'],
    ['received', { amount: '125.5', paid: '125.5' }, '125.50'],
  ] as const)('says how much is left of one that is %s, with the digits of its currency', (status, details, left) => {
    expect(refundProblem(payment(status, details), of('200'), ANY)).toEqual({
      kind: 'invalid-input',
      problems: [{ path: ['amount', 'value'], message: `must be at most ${left}` }],
    })
  })

  it('holds the amount to the currency of the payment', () => {
    expect(outcome(payment('received'), of('1', 'USD'), ANY)).toBe('amount.currency')
    expect(outcome(payment('received', { currency: null }), of('1', 'USD'), ANY)).toBeNull()
  })

  it('leaves an amount to the payments API where nobody has said what was paid', () => {
    expect(outcome(payment('received', { paid: null, amount: null }), of('1000000'), ANY)).toBeNull()
  })

  it('never gives back more than was paid', () => {
    const cents = fc.integer({ min: 1, max: 1_000_000 })
    const money = (amount: number): string => `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`
    fc.assert(
      fc.property(cents, cents, cents, (paid, refunded, amount) => {
        const made = payment('partially_refunded', { paid: money(paid), refunded: money(refunded) })
        expect(outcome(made, of(money(amount)), ANY) === null).toBe(amount + refunded <= paid)
      }),
    )
  })
})

describe('refundExpiresAt', () => {
  it('lies ten days on, whatever the clocks do meanwhile', () => {
    expect(refundExpiresAt(new Date('2028-02-25T23:59:59.999Z'))).toEqual(new Date('2028-03-06T23:59:59.999Z'))
    expect(refundExpiresAt(new Date('2030-03-28T12:00:00.000Z'))).toEqual(new Date('2030-04-07T12:00:00.000Z'))
  })
})
