import { lookOfRaw } from '../pieces/history.tsx'
import type { FeedEvent } from '../pieces/log-changes.ts'
import { type Look, lookOf } from '../pieces/statuses.ts'
import { wordsOf } from '../pieces/values.tsx'
import { hrefOf } from '../routes/route.ts'

/** The events of one subject, newest first. */
export type FeedSubject = { readonly key: string; readonly events: readonly FeedEvent[] }

/** Returns the subjects of events, the one with the newest event first. */
export function subjectsOf(events: readonly FeedEvent[]): FeedSubject[] {
  const subjects = new Map<string, FeedEvent[]>()
  for (const event of events.toReversed()) {
    const key = keyOf(event)
    const known = subjects.get(key)
    if (known === undefined) subjects.set(key, [event])
    else known.push(event)
  }
  return [...subjects].map(([key, all]) => ({ key, events: all }))
}

/** A link and its payments are one subject. */
function keyOf({ id, linkId, paymentId, agreementId, payoutId, gatewayPaymentId }: FeedEvent): string {
  return linkId ?? paymentId ?? agreementId ?? payoutId ?? gatewayPaymentId ?? id
}

type Named = { readonly kind: string; readonly name: string; readonly href: string }

/** Returns what an event is about: its kind, the name that people know it by, and the URL of its view. */
export function namedOf(event: FeedEvent): Named {
  const { kind, reference, paymentId, linkId, agreementId, payoutId, gatewayPaymentId } = event
  const name = (id: string | null) => reference ?? id ?? wordsOf(kind)
  if (kind.startsWith('PAYOUT_')) return { kind: 'Payout', name: name(payoutId), href: hrefOf('payouts', payoutId) }
  if (kind.startsWith('GATEWAY_PAYMENT_'))
    return { kind: 'Gateway payment', name: name(gatewayPaymentId), href: hrefOf('gateway-payments', gatewayPaymentId) }
  if (kind.startsWith('AGREEMENT_'))
    return { kind: 'Agreement', name: name(agreementId), href: hrefOf('agreements', agreementId) }
  if (paymentId !== null) return { kind: 'Payment', name: name(paymentId), href: hrefOf('payments', paymentId) }
  return { kind: 'Link', name: name(linkId), href: hrefOf('links', linkId) }
}

/** Returns the objects of a subject that have a view of their own, e.g. a link and its payment. */
export function viewsOf({ events }: FeedSubject): Named[] {
  return [...new Map(events.map(namedOf).map((named) => [named.href, named])).values()]
}

/** Returns how the status is shown that the newest event with one names. */
export function lookOfSubject({ events }: FeedSubject): Look {
  for (const { kind, toStatus } of events) {
    if (kind === 'LINK_EXPIRED') return lookOf('PaymentLinkState', 'EXPIRED')
    if (toStatus !== null) return lookOfRaw(kind, toStatus)
  }
  return lookOf('PaymentLinkState', 'OPEN')
}

/** The groups of events that can be shown alone. */
export const GROUPS: readonly (readonly [name: string, includes: (event: FeedEvent) => boolean])[] = [
  ['Payments', ({ kind }) => kind.startsWith('PAYMENT_')],
  ['Links', ({ kind }) => kind.startsWith('LINK_')],
  ['Refunds', ({ toStatus }) => toStatus !== null && /refund|return/i.test(toStatus)],
  ['Duplicates', ({ kind }) => kind.startsWith('DUPLICATE_')],
  ['Agreements', ({ kind }) => kind.startsWith('AGREEMENT_')],
  ['Payouts', ({ kind }) => kind.startsWith('PAYOUT_')],
  ['Gateway payments', ({ kind }) => kind.startsWith('GATEWAY_PAYMENT_')],
]
