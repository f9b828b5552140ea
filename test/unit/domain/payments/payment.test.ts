import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PaymentDetails, PAYMENT_STATUSES } from '../../../../src/domain/payments/payment-report.ts'
import {
  decideRead,
  decideWebhook,
  type Payment,
  withRequestedAmount,
} from '../../../../src/domain/payments/payment.ts'
import { present, report } from '../../../store/contract/builders.ts'
import { changed, given } from '../payments.ts'

const first = (state: Payment | null, status: string, details: Partial<PaymentDetails> = {}) =>
  decideWebhook(state, report(status, { details }), false)

/** Returns the details of the payment after a webhook that changes it. */
const detailsAfter = (state: Payment, status: string, details: Partial<PaymentDetails> = {}) =>
  first(state, status, details).change?.details

describe('a payment of which nothing was known', () => {
  it.each(PAYMENT_STATUSES)('begins with %s, and is believed', (status) => {
    expect(first(null, status)).toMatchObject({ disposition: 'APPLIED', change: { status }, provisional: false })
    expect(decideRead(null, report(status))).toMatchObject({
      disposition: 'APPLIED',
      change: { status },
      confirm: false,
    })
  })

  it('begins in doubt with a status that is not known', () => {
    const decision = first(null, 'quite_new')
    expect(decision).toMatchObject({
      disposition: 'APPLIED',
      change: { status: null },
      provisional: true,
      confirm: true,
    })
    expect(changed(null, present(decision.change))).toMatchObject({ phase: 'IN_PROGRESS', rank: 0, seen: [] })
  })
})

describe('a status that is not known', () => {
  it.each([
    ['pending', 'IN_PROGRESS', 0],
    ['failed', 'FAILED', 3],
    ['received', 'SUCCEEDED', 4],
    ['dispute_lost', 'DISPUTED', 6],
  ] as const)('is kept after %s, with the phase and the rank as they were', (status, phase, rank) => {
    const decision = first(given(status), 'quite_new')
    expect(decision).toMatchObject({ disposition: 'APPLIED', provisional: true, confirm: true })
    const after = changed(given(status), present(decision.change), true)
    expect(after).toMatchObject({
      statusRaw: 'quite_new',
      status: null,
      phase,
      rank,
      seen: [status],
      provisional: true,
    })
  })

  it('says nothing new a second time', () => {
    expect(first(given('pending', 'quite_new'), 'quite_new').disposition).toBe('NO_CHANGE')
    expect(decideWebhook(given('quite_new', 'received'), report('quite_new'), true).disposition).toBe('NO_CHANGE')
  })

  it('leads nowhere that was left: what was known before it stays doubtful', () => {
    expect(first(given('received', 'quite_new'), 'received').disposition).toBe('DOUBTFUL')
    expect(first(given('received', 'quite_new'), 'pending').disposition).toBe('STALE')
    expect(first(given('pending', 'quite_new'), 'received').disposition).toBe('APPLIED')
  })
})

describe('details', () => {
  it('are filled in by the same status, as a change of details', () => {
    expect(first(given('pending'), 'pending', { reference: 'order-1' })).toEqual({
      disposition: 'APPLIED',
      change: {
        kind: 'PAYMENT_DETAILS_CHANGED',
        statusRaw: 'pending',
        status: 'pending',
        details: { ...given('pending').details, reference: 'order-1' },
      },
      provisional: null,
      confirm: false,
    })
  })

  it('that the same status contradicts are settled by a read', () => {
    const state = given(report('pending', { details: { total: '10.50' } }))
    expect(first(state, 'pending', { total: '11.00' }).disposition).toBe('DOUBTFUL')
    expect(decideRead(state, report('pending', { details: { total: '11.00' } }))).toMatchObject({
      disposition: 'APPLIED',
      change: { kind: 'PAYMENT_DETAILS_CHANGED', details: { total: '11.00' } },
      provisional: false,
    })
  })

  it.each(['pending', 'received', 'failed', 'return_received', 'quite_new'])(
    'in a read of %s never change the amount, which may be told in other digits',
    (status) => {
      const read = (amount: string) => decideRead(given('pending'), report(status, { details: { amount } }))
      expect(first(given('pending'), 'pending', { amount: '11.00' }).disposition).toBe('DOUBTFUL')
      expect(read('11.00')).toMatchObject({ disposition: 'STALE', change: null })
      expect(read('10.0').disposition).not.toBe('STALE')
    },
  )

  it('that are left out stay as they were', () => {
    const state = given(report('pending', { details: { reference: 'order-1', total: '11.00', methodRaw: 'card' } }))
    expect(first(state, 'pending', { amount: null, currency: null }).disposition).toBe('NO_CHANGE')
    expect(detailsAfter(state, 'authorised', { amount: null })).toEqual(state.details)
  })

  it('of objects are compared by what they hold', () => {
    const card = { brand: 'visa', type: null, last4: '4242', countryCode: null }
    const state = given(report('authorised', { details: { card } }))
    expect(first(state, 'authorised', { card: { ...card } }).disposition).toBe('NO_CHANGE')
    expect(first(state, 'authorised', { card: { ...card, last4: '1111' } }).disposition).toBe('DOUBTFUL')
  })

  it.each([...PAYMENT_STATUSES, 'quite_new'])('in another currency are never believed of %s', (status) => {
    const other = report(status, { details: { currency: 'JPY' } })
    expect(decideWebhook(given('pending'), other, false)).toMatchObject({ disposition: 'DOUBTFUL', change: null })
    expect(decideRead(given('pending'), other)).toMatchObject({ disposition: 'STALE', change: null, provisional: null })
  })

  it('of a failure go with it', () => {
    const failed = given(report('failed', { details: { failureCode: 'insufficient_funds', failureMessage: 'No' } }))
    expect(failed.details.failureCode).toBe('insufficient_funds')
    expect(detailsAfter(failed, 'received')).toMatchObject({ failureCode: null, failureMessage: null })
    expect(decideRead(failed, report('pending')).change?.details.failureCode).toBeNull()
    expect(first(failed, 'failed').disposition).toBe('NO_CHANGE')
  })

  it('of 3-D Secure hold only while the payment is pending', () => {
    const pending = given(report('pending', { details: { threeDsUrl: 'https://checkout.test/3ds' } }))
    expect(first(pending, 'pending').disposition).toBe('NO_CHANGE')
    expect(detailsAfter(pending, 'authorised')?.threeDsUrl).toBeNull()
  })
})

describe('money', () => {
  const started = given(report('pending', { details: { paid: '0' } }))

  it('that was paid before the money came does not count as what has come', () => {
    expect(detailsAfter(started, 'waiting')?.paid).toBe('0')
    expect(detailsAfter(started, 'received')?.paid).toBeNull()
    expect(detailsAfter(started, 'received', { paid: '10.00' })?.paid).toBe('10.00')
  })

  it('that came is not forgotten when a later report leaves it out', () => {
    const paid = given(report('received', { details: { paid: '10.00' } }))
    expect(first(paid, 'received').disposition).toBe('NO_CHANGE')
    expect(decideRead(paid, report('received')).disposition).toBe('NO_CHANGE')
    expect(detailsAfter(paid, 'return_pending')?.paid).toBe('10.00')
    const disputed = given(report('in_dispute', { details: { paid: '10.00' } }))
    expect(decideRead(disputed, report('received')).change?.details.paid).toBe('10.00')
  })

  it('that was refunded is the total that the payments API tells, and never a sum of events', () => {
    const once = given('received', report('partially_refunded', { details: { refunded: '4.00' } }))
    expect(first(once, 'partially_refunded', { refunded: '4.00' }).disposition).toBe('NO_CHANGE')
    expect(decideWebhook(once, report('partially_refunded', { details: { refunded: '4.00' } }), true)).toMatchObject({
      change: null,
      confirm: true,
    })
    const twice = decideRead(once, report('partially_refunded', { details: { refunded: '8.00' } }))
    expect(twice.change).toMatchObject({ kind: 'PAYMENT_DETAILS_CHANGED', details: { refunded: '8.00' } })
    expect(detailsAfter(once, 'return_received', { refunded: '10.00' })?.refunded).toBe('10.00')
  })

  it('that the payments API left unsaid is what the link was made for, in the same currency only', () => {
    const requested = { value: '25.50', currency: 'AUD' }
    const filled = (details: Partial<PaymentDetails>) => {
      const { amount, currency } = withRequestedAmount(report('pending', { details }), requested).details
      return [amount, currency]
    }
    expect(filled({ amount: null, currency: null })).toEqual(['25.50', 'AUD'])
    expect(filled({ amount: null })).toEqual(['25.50', 'AUD'])
    expect(filled({ amount: '9', currency: null })).toEqual(['9', 'AUD'])
    expect(filled({ amount: null, currency: 'JPY' })).toEqual([null, 'JPY'])
    expect(filled({ amount: '9', currency: 'JPY' })).toEqual(['9', 'JPY'])
    const untold = report('pending', { details: { amount: null } })
    expect(withRequestedAmount(untold, null)).toBe(untold)
  })
})

describe('any sequence of webhooks', () => {
  const arrival = fc.record({
    status: fc.constantFrom(...PAYMENT_STATUSES, 'quite_new', 'newer_still'),
    repeat: fc.boolean(),
    details: fc.record({
      currency: fc.constantFrom('AUD', 'AUD', null, 'JPY'),
      amount: fc.constantFrom('10.00', null, '11.00'),
      paid: fc.constantFrom(null, '0', '10.00'),
    }),
  })

  it('changes a payment one version at a time, and never turns a paid one into an unpaid one', () => {
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 25 }), (arrivals) => {
        let state: Payment | null = null
        for (const { status, repeat, details } of arrivals) {
          const before: Payment | null = state
          const { change, provisional } = decideWebhook(before, report(status, { details }), before !== null && repeat)
          if (change === null) continue
          state = changed(before, change, provisional ?? before?.provisional ?? false)
          expect(state.version).toBe((before?.version ?? 0) + 1)
          expect(new Set(state.seen).size).toBe(state.seen.length)
          expect(state.seen.slice(0, before?.seen.length ?? 0)).toEqual(before?.seen ?? [])
          expect(state.rank >= 4 || (before?.rank ?? 0) < 4).toBe(true)
          expect(state.rank >= 4 && ['IN_PROGRESS', 'FAILED', 'EXPIRED'].includes(state.phase)).toBe(false)
          expect(state.details.currency).toBe(before?.details.currency ?? details.currency)
        }
      }),
      { numRuns: 3_000 },
    )
  })
})
