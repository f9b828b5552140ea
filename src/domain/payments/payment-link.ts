import type { Money } from '../money/money.ts'
import { PAID_RANK } from './payment-status.ts'
import type { Payment } from './payment.ts'

/** A hosted checkout link as we asked for it and as the payments API answered. */
export type PaymentLink = {
  /** The upstream link uuid. */
  readonly id: string
  /** Our correlation id, made before the payments API was asked: the last segment of the link's webhook address. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
  /** The merchant's own reference, such as an order id. */
  readonly reference: string
  readonly checkoutUrl: string
  readonly requestedAmount: Money
  readonly description: string
  readonly methodCode: string | null
  readonly ownerId: string | null
  /** ISO 8601 instants in UTC. */
  readonly createdAt: string
  readonly expiresAt: string
  /** The payments API has confirmed that the link ended without a payment. */
  readonly expired: boolean
  /** The payment that tells the link's state: the one that was paid, otherwise the latest. */
  readonly paymentId: string | null
}

export type PaymentLinkState = 'OPEN' | 'PAID' | 'FAILED' | 'EXPIRED'

/** The stream that holds the events of a link and of its payments. */
export function linkStreamId(ref: string): string {
  return `link:${ref}`
}

/** The stream that holds the events of a payment which was made without a link of ours. */
export function directPaymentStreamId(paymentId: string): string {
  return `payment:${paymentId}`
}

/** Where a link stands at an instant, given the payment made through it. */
export function linkState(link: PaymentLink, payment: Payment | null, now: Date): PaymentLinkState {
  if (payment !== null && payment.rank >= PAID_RANK) return 'PAID'
  if (payment?.phase === 'FAILED') return 'FAILED'
  if (link.expired || payment?.phase === 'EXPIRED') return 'EXPIRED'
  const underWay = payment !== null && payment.rank > 0
  return !underWay && now.getTime() >= Date.parse(link.expiresAt) ? 'EXPIRED' : 'OPEN'
}

/** Whether a payment takes the place of the one that told the link's state so far. */
export function speaksForLink(candidate: Payment, current: Payment | null): boolean {
  return current === null || current.id === candidate.id || current.rank < PAID_RANK
}
