import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { PAYMENT_PHASES, PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import type { Payment } from '../../../src/domain/payments/payment.ts'
import { deliveryKey } from '../../../src/store/rows/delivery-key.ts'
import { paymentJson, toPayment } from '../../../src/store/rows/payment-rows.ts'

/** A failure prints the seed, and the smallest example. */
const RUNS = { numRuns: 2_000 }

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('card', 'AUD', '0.0', '\u0001"'))
const word = fc.option(text)
const instant = fc.option(
  fc.oneof(
    fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
    text,
  ),
)
const status = fc.option(fc.constantFrom(...PAYMENT_STATUSES))

const payments: fc.Arbitrary<Payment> = fc.record({
  id: text,
  streamId: text,
  linkRef: word,
  version: fc.nat(),
  statusRaw: fc.oneof(fc.constantFrom<string>(...PAYMENT_STATUSES, 'refunded'), text),
  status,
  phase: fc.constantFrom(...PAYMENT_PHASES),
  rank: fc.nat({ max: 6 }),
  seen: fc.subarray([...PAYMENT_STATUSES]),
  provisional: fc.boolean(),
  details: fc.record({
    currency: word,
    amount: word,
    total: word,
    paid: word,
    refunded: word,
    refundTotal: word,
    refundable: fc.option(fc.boolean()),
    gst: fc.option(fc.boolean()),
    gstAmount: word,
    reference: word,
    methodRaw: word,
    card: fc.option(fc.record({ brand: word, type: word, last4: word, countryCode: word })),
    threeDsUrl: word,
    failureCode: word,
    failureMessage: word,
    instructions: fc.option(fc.dictionary(fc.string({ minLength: 10 }), text, { noNullPrototype: true })),
    expiresAt: instant,
    createdAt: instant,
  }),
  updatedAt: fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
})

it('a payment is stored as JSON without the details that are not known, and reads back as it was', () => {
  fc.assert(
    fc.property(payments, payments, (payment, told) => {
      for (const beside of [payment, told]) expect(toPayment(paymentJson(payment, beside), beside)).toEqual(payment)
      const json = paymentJson(payment)
      expect(Object.values((JSON.parse(json) as Payment).details)).not.toContain(null)
      expect(toPayment(json)).toEqual(payment)
    }),
    RUNS,
  )
})

it('a delivery has a key of half its hash, which begins with a letter', () => {
  const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: 64, maxLength: 64 })
  fc.assert(
    fc.property(hash, (digits) => {
      expect(deliveryKey(digits)).toMatch(/^[A-Za-f][\w-]{21}$/)
    }),
    RUNS,
  )
  expect(deliveryKey('f'.repeat(64))).toBe('f____________________w')
  expect(deliveryKey('f'.repeat(63))).toBe('f'.repeat(63))
})
