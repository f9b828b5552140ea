import { describe, expect, it } from 'vitest'
import {
  type PaymentStatus,
  MOST_REFUNDS,
  type Refund,
  refundsAfter,
  type RequestedRefund,
} from '../../../../src/domain/payments/payment-report.ts'

type Change = readonly [status: PaymentStatus, total: string | null, requested?: Partial<RequestedRefund>]

const AT = (sequence: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, sequence)).toISOString()
const ASKED = '2026-01-01T00:00:00.500Z'

/** Returns the refunds of a received payment of 100.0 after changes; the first has the sequence 2. */
function after(...changes: readonly Change[]): readonly Refund[] {
  let status: PaymentStatus = 'received'
  let refunded: string | null = null
  let refunds: readonly Refund[] = []
  for (const [index, [next, total, requested]] of changes.entries()) {
    const sequence = index + 2
    const before = { status, details: details(refunded), refunds, version: sequence - 1 }
    status = next
    refunded = total ?? refunded
    const whole = { commandId: 'c1', amount: null, requestedAt: ASKED, subjectVersion: 1, ...requested }
    const recorded = { sequence, at: AT(sequence), requested: requested === undefined ? null : whole }
    refunds = refundsAfter(before, { status, details: details(refunded) }, recorded)
  }
  return refunds
}

const details = (refunded: string | null) => ({ amount: '100.0', paid: '100.0', refunded })

/** Returns each refund as `<state> <amount> <command>`. */
const short = (refunds: readonly Refund[]) =>
  refunds.map(({ state, amount, commandId }) => `${state} ${amount ?? '?'} ${commandId ?? '-'}`).join(', ')

/** Parses changes, each as `<status> <total>`; `:<amount>/<command>@<version of the payment>` follows where one of ours was requested. */
const changesOf = (history: string) =>
  history.split(' > ').map((change): Change => {
    const [status, total, asked] = change.split(' ')
    const refunded = total === '-' ? null : (total ?? null)
    if (asked === undefined) return [status as PaymentStatus, refunded]
    const [, amount, commandId = 'c1', version = '1'] = /^:(\w+)(?:\/(\w+))?(?:@(\d))?$/.exec(asked) ?? []
    const requested = {
      commandId,
      subjectVersion: Number(version),
      ...(amount === 'all' ? {} : { amount: String(amount) }),
    }
    return [status as PaymentStatus, refunded, requested]
  })

describe('the refunds of a payment', () => {
  it.each([
    ['none', 'in_dispute -', ''],
    ['one of ours, pending', 'return_pending 0.0 :25', 'PENDING 25 c1'],
    [
      'one of ours, whose total grows with the request',
      'return_pending 25.0 :25 > partially_refunded 25.0',
      'SETTLED 25 c1',
    ],
    [
      'one of ours, whose total grows with its end',
      'return_pending 0.0 :25 > partially_refunded 25.0',
      'SETTLED 25 c1',
    ],
    ['the whole, answered at once', 'return_received 100.0 :all', 'SETTLED 100.0 c1'],
    ['the whole, whose total is never told', 'return_pending - :all > return_received -', 'SETTLED 100.0 c1'],
    [
      'the whole, whose total is told while it is pending',
      'return_pending - :all > return_pending 100.0',
      'PENDING 100.0 c1',
    ],
    [
      'a request that was reported before it was answered',
      'return_pending 25.0 > return_pending 25.0 :25',
      'PENDING 25 c1',
    ],
    [
      'a request that was processed before it was answered',
      'return_pending 25.0 > partially_refunded 25.0 > partially_refunded 25.0 :25',
      'SETTLED 25 c1',
    ],
    [
      'one made elsewhere before the command, of the same amount, is not taken for it',
      'partially_refunded 25.0 > return_pending 25.0 :25@2',
      'SETTLED 25.0 -, PENDING 25 c1',
    ],
    [
      'one made elsewhere meanwhile, of another amount, is not taken for it',
      'partially_refunded 30.0 > partially_refunded 30.0 :25',
      'SETTLED 30.0 -, PENDING 25 c1',
    ],
    [
      'a part, and the rest',
      'return_pending 25.0 :25 > partially_refunded 25.0 > return_pending 100.0 :all/c2@3 > return_received 100.0',
      'SETTLED 25 c1, SETTLED 75.0 c2',
    ],
    [
      'two equal parts',
      'return_pending 10.0 :10 > partially_refunded 10.0 > return_pending 20.0 :10/c2@3 > partially_refunded 20.0',
      'SETTLED 10 c1, SETTLED 10 c2',
    ],
    ['one made elsewhere', 'partially_refunded 10.0', 'SETTLED 10.0 -'],
    ['one made elsewhere, without a status of a refund', 'received 10.0', 'SETTLED 10.0 -'],
    [
      'two parts made elsewhere, without a status in between',
      'partially_refunded 10.0 > partially_refunded 35.0',
      'SETTLED 10.0 -, SETTLED 25.0 -',
    ],
    [
      'one of ours, and one made elsewhere by its end',
      'return_pending 0.0 :25 > partially_refunded 40.0',
      'SETTLED 25 c1, SETTLED 15.0 -',
    ],
    [
      'two that are pending at a time, of which the total reaches the first',
      'return_pending 0.0 :25 > return_pending 0.0 :30/c2@2 > partially_refunded 25.0',
      'SETTLED 25 c1, PENDING 30 c2',
    ],
    [
      'two that are pending at a time, both denied',
      'return_pending 0.0 :25 > return_pending 0.0 :30/c2@2 > return_rejected 0.0',
      'REJECTED 25 c1, REJECTED 30 c2',
    ],
    [
      'a rejected one, and its repeat',
      'return_pending 100.0 :all > return_rejected 100.0 > return_pending 100.0 :25/c2@3 > partially_refunded 25.0',
      'REJECTED 100.0 c1, SETTLED 25 c2',
    ],
    ['an expired one', 'return_pending 0.0 :25 > return_expired 0.0', 'EXPIRED 25 c1'],
    [
      'the whole that came back without a report, as another one is settled',
      'return_received 100.0 > return_pending 0.0 :25@2 > partially_refunded 25.0',
      'REJECTED 100.0 -, SETTLED 25 c1',
    ],
    ['a rejection whose request was never reported', 'return_rejected -', 'REJECTED ? -'],
    [
      'a rejection that is reported again with another detail',
      'return_pending 0.0 :25 > return_rejected 0.0 > return_rejected -',
      'REJECTED 25 c1',
    ],
    [
      'a dispute after a part, and back',
      'partially_refunded 10.0 > in_dispute 10.0 > partially_refunded 10.0',
      'SETTLED 10.0 -',
    ],
    ['an answer that is repeated', 'return_pending 5.0 :5 > return_pending 5.0', 'PENDING 5 c1'],
  ])('are %s: %s', (_what, history, expected) => {
    expect(short(after(...changesOf(history)))).toBe(expected)
  })

  it.each([
    ['return_pending 100 > return_received 100 > return_rejected 0', 'REJECTED 100 -'],
    ['return_pending - > return_received - > return_rejected -', 'REJECTED 100.0 -'],
    ['partially_refunded 25 > return_expired -', 'EXPIRED 25 -'],
    [
      'partially_refunded 10 > partially_refunded 30 > return_rejected - > return_pending - > partially_refunded 35',
      'SETTLED 10 -, REJECTED 20 -, SETTLED 5 -',
    ],
    ['partially_refunded 10 > partially_refunded 30 > return_rejected 20', 'REJECTED 10 -, SETTLED 20 -'],
    ['partially_refunded 10 > return_received 100 > return_rejected 0', 'REJECTED 10 -, REJECTED 90 -'],
    ['partially_refunded 10 > return_pending 10 > return_rejected 10', 'SETTLED 10 -, REJECTED ? -'],
    ['return_rejected - > partially_refunded 10 > return_rejected 0', 'REJECTED ? -, REJECTED 10 -'],
  ])('that come back after %s are those, each once: %s', (history, expected) => {
    expect(short(after(...changesOf(history)))).toBe(expected)
  })

  it('have the instants and sequences of their events', () => {
    const [refund] = after(
      ['return_pending', '25.0'],
      ['return_pending', '25.0', { amount: '25' }],
      ['return_rejected', null],
    )
    expect(refund).toEqual({
      number: 1,
      state: 'REJECTED',
      amount: '25',
      requestedAt: ASKED,
      settledAt: AT(4),
      commandId: 'c1',
      since: 2,
      version: 4,
    })
  })

  it('are the latest when there are more than a payment contains, and keep their numbers', () => {
    const many = Array.from({ length: MOST_REFUNDS + 3 }, (_, index): Change => [
      'partially_refunded',
      `${index + 1}.0`,
    ])
    const refunds = after(...many, ['in_dispute', null], ['partially_refunded', null])
    expect(refunds.map(({ number }) => number)).toEqual(Array.from({ length: MOST_REFUNDS }, (_, index) => index + 4))
    expect(new Set(refunds.map(({ amount }) => amount))).toEqual(new Set(['1.0']))
  })
})
