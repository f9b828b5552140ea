import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGREEMENT_STATUSES } from '../../../src/domain/agreements/agreement-report.ts'
import type { Agreement } from '../../../src/domain/agreements/agreement.ts'
import { PAYMENT_PHASES, PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import { evolve, type Payment } from '../../../src/domain/payments/payment.ts'
import {
  decodeBody,
  decodeEventId,
  deliveryKey,
  encodeBody,
  encodeEventId,
  createTextPacker,
} from '../../../src/store/encoding/delivery-columns.ts'
import {
  decodeEventAgreement,
  encodeEventAgreement,
  decodePaymentId,
  encodePaymentId,
} from '../../../src/store/encoding/event-columns.ts'
import {
  decodeEventPayment,
  decodePayment,
  encodeEventPayment,
  encodePayment,
} from '../../../src/store/encoding/payment-snapshot.ts'
import { NOW, report } from '../../store/contract/builders.ts'

/** A failure prints the seed, and the smallest example. */
const RUNS = { numRuns: 2_000 }

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('card', 'AUD', '0.0', '\u0001', '\u001f', '\u0002"'),
)
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
    refundable: fc.option(fc.boolean()),
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

function columnsOf(payment: Payment) {
  return {
    stream_id: payment.streamId,
    sequence: payment.version,
    link_ref: payment.linkRef,
    payment_id: encodePaymentId(payment.id, payment.streamId),
    to_status: payment.statusRaw,
    recorded_at: Date.parse(payment.updatedAt),
  }
}

/** Returns a payment that was created by a report of this status, as nearly all payments are. */
function made(statusRaw: string): Payment {
  const { status: recognised, details } = report(statusRaw)
  const change = { kind: 'PAYMENT_STATUS_CHANGED', statusRaw, status: recognised, details } as const
  const birth = { id: 'PAY1', streamId: 'payment:PAY1', linkRef: null }
  return evolve(birth, change, { sequence: 3, at: NOW.toISOString(), provisional: false })
}

describe('what is stored of a payment', () => {
  it('reads back as it was, beside the columns of its event and alone', () => {
    fc.assert(
      fc.property(payments, (payment) => {
        expect(decodeEventPayment(encodeEventPayment(payment, columnsOf(payment)), columnsOf(payment))).toEqual(payment)
        expect(decodePayment(encodePayment(payment))).toEqual(payment)
      }),
      RUNS,
    )
  })

  it('reads back as it was beside the columns of another event', () => {
    fc.assert(
      fc.property(payments, payments, (payment, other) => {
        const columns = columnsOf(other)
        expect(decodeEventPayment(encodeEventPayment(payment, columns), columns)).toEqual(payment)
      }),
      RUNS,
    )
  })

  it.each([...PAYMENT_STATUSES, 'refunded', 'something new'])('reads back in the status %s', (statusRaw) => {
    const payment = made(statusRaw)
    const columns = columnsOf(payment)
    expect(decodeEventPayment(encodeEventPayment(payment, columns), columns)).toEqual(payment)
    expect(decodePayment(encodePayment(payment))).toEqual(payment)
  })

  it('reads the documents of earlier versions', () => {
    fc.assert(
      fc.property(payments, (payment) => {
        const whole = JSON.stringify(payment)
        expect(decodeEventPayment(whole, { ...columnsOf(payment), payment_id: payment.id })).toEqual(payment)
        expect(decodePayment(whole)).toEqual(payment)
      }),
      RUNS,
    )
  })

  // Every later version must be able to read the data of a database, so the encoding of these values must never change.
  it('keeps its meaning', () => {
    const stored = '\u000210.00"\u0018p"}'
    expect(encodeEventPayment(made('pending'), columnsOf(made('pending')))).toBe(stored)
    expect(encodePayment(made('received'))).toBe(
      `\u000210.00"\u0018r"\u001aPAY1"\u001c3\u001dreceived"\u001e${NOW.getTime()}}`,
    )
  })
})

const agreements: fc.Arbitrary<Agreement> = fc.record({
  id: text,
  ref: text,
  streamId: text,
  site: text,
  version: fc.nat(),
  statusRaw: text,
  status: fc.option(fc.constantFrom(...AGREEMENT_STATUSES)),
  seen: fc.subarray([...AGREEMENT_STATUSES]),
  provisional: fc.boolean(),
  updatedAt: fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
  serviceId: word,
  clientTransactionId: word,
  externalId: word,
  description: word,
  limit: word,
  purposeRaw: word,
  purpose: fc.constantFrom('RETAIL', null),
  amountRule: fc.constantFrom('VARIABLE', null),
  frequencyRaw: word,
  frequency: fc.constantFrom('MONTHLY', null),
  startDate: word,
  createdAt: instant,
})

it('what is stored of an agreement reads back as it was, and so do the documents of earlier versions', () => {
  fc.assert(
    fc.property(agreements, agreements, (agreement, other) => {
      for (const { streamId, version, id, statusRaw, updatedAt } of [agreement, other]) {
        const columns = {
          stream_id: streamId,
          sequence: version,
          agreement_id: id,
          to_status: statusRaw,
          recorded_at: Date.parse(updatedAt),
        }
        expect(decodeEventAgreement(encodeEventAgreement(agreement, columns), columns)).toEqual(agreement)
        expect(decodeEventAgreement(JSON.stringify(agreement), columns)).toEqual(agreement)
      }
    }),
    RUNS,
  )
})

describe('what is stored of a delivery', () => {
  const part = fc.constantFrom(
    '{"uuid":"',
    '","status":"',
    ',"amount":"',
    '.000000Z"',
    'PAY1',
    '\u001f',
    '\u0001',
    '\u0002',
  )
  const body = fc.oneof(
    text,
    fc.array(fc.oneof(part, text)).map((parts) => parts.join('')),
  )
  const columns = fc.record({
    ref: word,
    subject_id: word,
    status_raw: word,
    disposition: fc.constantFrom('APPLIED', 'DOUBTFUL', 'QUARANTINED'),
  })

  it('has its body read back byte for byte', () => {
    fc.assert(
      fc.property(columns, body, fc.boolean(), (row, rest, named) => {
        const head = `{"uuid":${JSON.stringify(row.subject_id)},"status":${JSON.stringify(row.status_raw)}`
        const whole = named ? head + rest : rest
        expect(decodeBody(encodeBody(whole, row), row)).toBe(whole)
      }),
      RUNS,
    )
  })

  it('names its subject again in the body while it may be decided anew', () => {
    const whole = '{"uuid":"PAY1","status":"pending","amount":"10.00"}'
    const row = { subject_id: 'PAY1', status_raw: 'pending', disposition: 'DOUBTFUL' } as const
    const stored = encodeBody(whole, row)
    expect(decodeBody(stored, { ...row, subject_id: 'PAY2', status_raw: 'received' })).toBe(whole)
    expect(encodeBody(whole, { ...row, disposition: 'APPLIED' })).toBe('\u001f\u000610.00"}')
  })

  it('has bodies of earlier versions read as they are', () => {
    fc.assert(
      fc.property(fc.json(), columns, (json, row) => {
        expect(decodeBody(json, row)).toBe(json)
      }),
      RUNS,
    )
  })

  it('has the id of its event read back, whatever stream it lies in', () => {
    const kind = fc.constantFrom('link', 'payment', 'agreement')
    const name = fc.constantFrom('a', 'PAY1', 'l1')
    fc.assert(
      fc.property(kind, name, fc.integer({ min: 1, max: 999 }), columns, (stream, of, sequence, row) => {
        for (const subject of [row, { ref: of, subject_id: of }, { ref: null, subject_id: of }]) {
          const id = `${stream}:${of}.${sequence}`
          expect(decodeEventId(encodeEventId(id, subject), subject)).toBe(id)
          expect(decodeEventId(id, subject)).toBe(id)
        }
      }),
      RUNS,
    )
    expect(encodeEventId('payment:PAY1.4', { ref: null, subject_id: 'PAY1' })).toBe('p4')
  })

  it('has a key of half its hash, which begins with a letter', () => {
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
})

it('the payment of an event is named by its stream, or by itself', () => {
  for (const [id, stream, stored] of [
    ['PAY1', 'payment:PAY1', null],
    ['PAY1', 'link:a', 'PAY1'],
    ['PAY1', 'payment:PAY2', 'PAY1'],
    [null, 'link:a', null],
  ] as const) {
    expect(encodePaymentId(id, stream)).toBe(stored)
    expect(decodePaymentId(stored, stream)).toBe(id)
  }
})

it('a dictionary has no more phrases than codes', () => {
  expect(() => createTextPacker(Array.from({ length: 30 }, (_, n) => `phrase ${n}`))).toThrow(RangeError)
})
