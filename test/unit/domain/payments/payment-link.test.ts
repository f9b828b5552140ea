import { describe, expect, it } from 'vitest'
import { parseEventId, eventId } from '../../../../src/domain/payments/payment-event.ts'
import {
  directPaymentStreamId,
  linkState,
  linkStreamId,
  speaksForLink,
} from '../../../../src/domain/payments/payment-link.ts'
import { after, link, MINUTE, NOW } from '../../../contract/store/builders.ts'
import { given } from '../payments.ts'

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
  it('is the latest payment, until one is paid', () => {
    const other = (...history: string[]) => ({ ...given(...history), id: 'PAY2' })
    expect(speaksForLink(given('pending'), null)).toBe(true)
    expect(speaksForLink(given('pending'), other('failed'))).toBe(true)
    expect(speaksForLink(given('received'), other('waiting'))).toBe(true)
    expect(speaksForLink(given('pending'), other('received'))).toBe(false)
    expect(speaksForLink(given('received'), other('received'))).toBe(false)
    expect(speaksForLink(given('return_pending'), given('received'))).toBe(true)
  })
})

describe('ids of events', () => {
  it.each([
    [linkStreamId('aB-_9'), 1],
    [directPaymentStreamId('PAY1'), 9_999_999_999],
    ['agreement:x', 42],
  ])('of %s and %d are read back', (streamId, sequence) => {
    expect(parseEventId(eventId(streamId, sequence))).toEqual({ streamId, sequence })
  })

  it.each(
    [
      '',
      'link:a',
      'link:a.',
      'link:a.0',
      'link:a.01',
      'link:a.-1',
      'link:a.1.5',
      'link:a.12345678901',
      'link:.1',
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
