import { PAID_RANK } from './payment-report.ts'
import type { Payment } from './payment.ts'

/** SAME_REFERENCE: another payment has paid the same order. EXPIRED_LINK: the link had expired before it was paid. */
export type DuplicateReason = 'SAME_REFERENCE' | 'EXPIRED_LINK'

/** REFUNDED: its money was returned. OTHER_REFUNDED: that of the other payment was. DISMISSED: an operator keeps both. */
export type DuplicateResolution = 'REFUNDED' | 'OTHER_REFUNDED' | 'DISMISSED'

/** A payment that came although its order was paid already, or although its link had expired. */
export type DuplicatePayment = {
  readonly paymentId: string
  /** The payment that had paid the order before; null for EXPIRED_LINK. */
  readonly otherId: string | null
  readonly reason: DuplicateReason
  /** ISO 8601 instants in UTC. */
  readonly foundAt: string
  readonly resolvedAt: string | null
  readonly resolution: DuplicateResolution | null
}

/** What identifies an order: the merchant's reference, at a site, of one owner. */
export type OrderName = { readonly site: string; readonly ownerId: string | null; readonly reference: string }

/** The payments of one order that hold its money, oldest first. */
export type PaidOrder = {
  readonly id: string
  readonly paymentIds: readonly string[]
  /** Several payments are expected, such as instalments: none is a duplicate. */
  readonly severalExpected: boolean
  /** Instant of the last change, ISO 8601 in UTC. */
  readonly updatedAt: string
}

/** Payments that are remembered per order. An order with more of them has a reference that many customers share. */
const REMEMBERED = 4

/** Returns whether the merchant has the money of a payment: it is paid, and neither refunded in full nor lost in a dispute. */
export function holdsMoney({ rank, phase, status }: Pick<Payment, 'rank' | 'phase' | 'status'>): boolean {
  return rank >= PAID_RANK && phase !== 'REFUNDED' && status !== 'dispute_lost'
}

/** Returns the order with one more payment; `held` are those that hold money still. */
export function withPayment(order: PaidOrder, held: readonly string[], paymentId: string, at: string): PaidOrder {
  return { ...order, paymentIds: [...held, paymentId].slice(0, REMEMBERED), updatedAt: at }
}

/**
 * Returns why a payment that now holds money should not have been made; null if nothing is wrong with it. `order` is null for a payment
 * that was made elsewhere.
 */
export function duplicateReason(
  order: PaidOrder | null,
  { otherId, linkHadExpired }: { readonly otherId: string | null; readonly linkHadExpired: boolean },
): DuplicateReason | null {
  if (order?.severalExpected === true) return null
  if (otherId !== null) return 'SAME_REFERENCE'
  return linkHadExpired ? 'EXPIRED_LINK' : null
}
