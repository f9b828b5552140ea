/** The statuses of a payment (docs/payments-api.md, section 3.2). */
export const PAYMENT_STATUSES = [
  'pending',
  'authorised',
  'waiting',
  'received',
  'expired',
  'return_pending',
  'return_expired',
  'partially_refunded',
  'return_received',
  'return_rejected',
  'failed',
  'in_dispute',
  'dispute_lost',
] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** The refund statuses. */
export const REFUND_STATUSES: ReadonlySet<PaymentStatus> = new Set([
  'return_pending',
  'return_expired',
  'partially_refunded',
  'return_received',
  'return_rejected',
])

/** Whether a text is one of the statuses. */
export function isPaymentStatus(text: string): text is PaymentStatus {
  return (PAYMENT_STATUSES as readonly string[]).includes(text)
}

/**
 * Whether the payments API itself makes this transition (docs/payments-api.md, section 3.2; gap sheet, section 3). The
 * control endpoints may set any status; this rule applies to customers, refunds and timers.
 */
export function isLegal(from: PaymentStatus, to: PaymentStatus): boolean {
  return (NEXT[from] ?? []).includes(to)
}

/**
 * The state that the hosted page posts to its opener (docs/payments-api.md, sections 3.3 and 6.4); undefined while it is
 * open.
 */
export function pageState(status: PaymentStatus): 'success' | 'failed' | undefined {
  if (status === 'pending' || status === 'authorised') return undefined
  return status === 'failed' || status === 'expired' ? 'failed' : 'success'
}

const NEXT: Partial<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['authorised', 'received', 'failed', 'expired'],
  authorised: ['waiting'],
  waiting: ['received', 'return_pending', 'in_dispute'],
  received: ['return_pending', 'in_dispute'],
  failed: ['pending'],
  return_pending: ['return_received', 'partially_refunded', 'return_expired', 'return_rejected'],
  partially_refunded: ['return_pending'],
  return_expired: ['return_pending'],
  return_rejected: ['return_pending'],
  in_dispute: ['dispute_lost', 'received'],
}
