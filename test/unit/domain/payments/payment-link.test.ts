import { describe, expect, it } from 'vitest'
import { parseEventId, eventId } from '../../../../src/domain/events/payment-event.ts'
import {
  createdLink,
  directPaymentStreamId,
  linkState,
  linkStreamId,
  type LinkRequest,
  speaksForLink,
} from '../../../../src/domain/payments/payment-link.ts'
import { after, link, MINUTE, NOW } from '../../../store/contract/builders.ts'
import { given } from '../payments.ts'

describe('createdLink', () => {
  const request: LinkRequest = {
    idempotencyKey: 'key',
    reference: 'order-1',
    amount: { value: '1', currency: 'AUD' },
    description: 'Two tickets',
    customer: { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' },
    expiresInSeconds: 1_800,
  }
  const parts = { site: 'au', ref: 'a', uuid: 'L1', paymentUrl: 'https://checkout.example/a', sentAt: NOW.getTime() }
  const expiryOf = (expiresAt: Date | null, answeredAt: Date | null, at = NOW) =>
    createdLink(request, { ...parts, at, answeredAt, expiresAt: expiresAt?.toISOString() ?? null }).expiresAt
  const inHalfAnHour = after(30 * MINUTE)

  it.each([
    ['verbatim without a date', inHalfAnHour, null, inHalfAnHour],
    ['verbatim by clocks that are seconds apart', after(30 * MINUTE + 3_000), after(3_000), after(30 * MINUTE + 3_000)],
    ['counted from the request if it is not reported', null, after(61 * MINUTE), inHalfAnHour],
    ['ours if the clock of the payments API is ahead', after(61 * MINUTE), after(31 * MINUTE - 1_000), inHalfAnHour],
    ['ours if it is behind', after(20 * MINUTE), after(-10 * MINUTE - 1_000), inHalfAnHour],
    [
      'ours if it is ahead and the lifetime is another',
      after(62 * MINUTE),
      after(2 * MINUTE - 1_000),
      after(60 * MINUTE),
    ],
    ['counted from the request if it is over before that, without a date', after(-MINUTE), null, inHalfAnHour],
    ['counted from the request if it is over before that by a wrong date', after(-MINUTE), after(1_000), inHalfAnHour],
    ['verbatim with a date that is wrong', inHalfAnHour, new Date(0), inHalfAnHour],
  ])('has an expiry that is %s', (_name, reported, date, expected) => {
    expect(expiryOf(reported, date)).toBe(expected.toISOString())
  })

  it('has the same expiry when it is found minutes after the request', () => {
    const found = expiryOf(after(61 * MINUTE), after(38 * MINUTE - 1_000), after(7 * MINUTE))
    expect(found).toBe(inHalfAnHour.toISOString())
  })
})

describe('linkState', () => {
  const made = link('a')
  const atEnd = after(60 * MINUTE)
  const justBefore = after(60 * MINUTE - 1)

  it.each([
    ['without a payment', null, 'OPEN', 'EXPIRED'],
    ['with a payment that was begun', ['pending'], 'OPEN', 'EXPIRED'],
    ['with a payment under way', ['authorised'], 'OPEN', 'OPEN'],
    ['with a payment that waits', ['waiting'], 'OPEN', 'OPEN'],
    ['with a failed payment', ['failed'], 'FAILED', 'FAILED'],
    ['with a payment that is tried again', ['failed', 'pending'], 'OPEN', 'EXPIRED'],
    ['with an expired payment', ['expired'], 'EXPIRED', 'EXPIRED'],
    ['with a paid payment', ['received'], 'PAID', 'PAID'],
    ['with a payment that is refunded', ['received', 'return_pending'], 'PAID', 'PAID'],
    ['with a payment that was refunded', ['return_received'], 'PAID', 'PAID'],
    ['with a disputed payment', ['dispute_lost'], 'PAID', 'PAID'],
    ['with a status that is not known', ['authorised', 'quite_new'], 'OPEN', 'OPEN'],
    ['with a paid one of a status that is not known', ['received', 'quite_new'], 'PAID', 'PAID'],
  ] as const)('%s', (_name, history, before, then) => {
    const payment = history === null ? null : given(...history)
    expect(linkState(made, payment, justBefore)).toBe(before)
    expect(linkState(made, payment, atEnd)).toBe(then)
  })

  it('is expired once the payments API has confirmed it, unless money came after all', () => {
    const ended = link('a', { expired: true })
    expect(linkState(ended, null, NOW)).toBe('EXPIRED')
    expect(linkState(ended, given('authorised'), NOW)).toBe('EXPIRED')
    expect(linkState(ended, given('expired', 'received'), NOW)).toBe('PAID')
  })
})

describe('speaksForLink', () => {
  const other = (...history: string[]) => ({ ...given(...history), id: 'PAY2' })

  it('is any payment where there was none, and the same one after a change', () => {
    expect(speaksForLink(given('failed'), null)).toBe(true)
    expect(speaksForLink(given('received', 'return_received'), given('received'))).toBe(true)
  })

  /** From the least far to the furthest; of two on one line the later one speaks, until one is paid. */
  const standings: readonly (readonly (readonly string[])[])[] = [
    [['failed'], ['expired'], ['failed', 'quite_new']],
    [['quite_new'], ['waiting', 'quite_new']],
    [['pending'], ['failed', 'pending']],
    [['authorised']],
    [['waiting']],
    [['received', 'return_received'], ['dispute_lost']],
    [['received'], ['partially_refunded'], ['return_rejected'], ['in_dispute'], ['received', 'quite_new']],
  ]
  const all = standings.flatMap((alike, standing) => alike.map((history) => ({ history, standing })))

  it.each(all)('$history has its place among several of one link', ({ history, standing }) => {
    for (const { history: others, standing: place } of all) {
      const speaks = standing === place ? standing < standings.length - 2 : standing > place
      expect([others, speaksForLink(given(...history), other(...others))]).toEqual([others, speaks])
    }
  })
})

describe('ids of events', () => {
  it.each([
    [linkStreamId('aB-_9'), 1],
    [directPaymentStreamId('PAY1'), 2_147_483_647],
    ['agreement:x', 42],
  ])('of %s and %d are read back', (streamId, sequence) => {
    expect(parseEventId(eventId(streamId, sequence))).toEqual({ streamId, sequence })
  })

  it.each(
    [
      ...'link:a link:a. link:a.0 link:a.01 link:a.-1 link:a.1.5 link:a.2147483648 link:a.12345678901 link:.1'.split(
        ' ',
      ),
      '',
    ].concat([
      'other:a.1',
      'link:a b.1',
      'link:a/b.1',
      'link:a.1\n',
      ' link:a.1',
      'xlink:a.1',
      `link:${'a'.repeat(129)}.1`,
    ]),
  )('are not read out of %j', (id) => expect(parseEventId(id)).toBeNull())
})
