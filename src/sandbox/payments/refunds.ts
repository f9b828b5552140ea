import { recordedAmount } from '../methods/methods.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { addDecimals, compareDecimals, decimal, subtractDecimals, type Decimal } from '../values/decimal.ts'
import { proceed } from './link-actions.ts'
import { type Link, type Payment, REFUND_STATUSES, isLegal, type PaymentStatus } from './link.ts'
import { isRefundable, paidInFull } from './payment-object.ts'

export type RefundRequest = {
  /** Default: the whole remaining amount. */
  amount: Decimal | undefined
  description: string
}

/** The accepted amount, or the problems by field name (gap sheet, section 12). */
export type RefundOutcome = { accepted: Decimal } | { problems: Record<string, string> }

/**
 * Requests a refund (gap sheet, sections 5.5 and 12). The payment moves to `return_pending` and then proceeds automatically.
 */
export function requestRefund(store: SandboxStore, link: Link, { amount, description }: RefundRequest): RefundOutcome {
  const { payment, request } = link
  if (
    payment === undefined ||
    !isLegal(payment.status, 'return_pending') ||
    !isRefundable(payment.method, payment.status)
  )
    return { problems: { payment_request_id: 'is not refundable' } }
  const refunded = payment.refund?.refunded ?? ZERO
  const left = subtractDecimals(paidInFull(link), refunded)
  const asked = amount === undefined ? left : recordedAmount(amount, request.currency)
  if (compareDecimals(asked, ZERO) <= 0) return { problems: { refund_amount: 'must be greater than 0' } }
  if (compareDecimals(asked, left) > 0) return { problems: { refund_amount: 'is more than what is left' } }
  payment.refund = { description, requested: addDecimals(refunded, asked), refunded }
  void proceed(store, link, 'return_pending')
  return { accepted: asked }
}

/**
 * Records the refund for a status that the control endpoint sets. `total` is the total refund: the requested amount in
 * `return_pending`, the refunded amount otherwise. Default: the whole amount, or half of it for a partial refund.
 */
export function noteRefund(
  link: Link,
  payment: Payment,
  { status, total }: { status: PaymentStatus; total: Decimal | undefined },
): void {
  if (!REFUND_STATUSES.has(status)) return
  const whole = paidInFull(link)
  const half = recordedAmount({ units: whole.units * 5n, scale: whole.scale + 1 }, link.request.currency)
  const requested = total ?? payment.refund?.requested ?? (status === 'partially_refunded' ? half : whole)
  const isPaid = status === 'partially_refunded' || status === 'return_received'
  const refunded = isPaid ? requested : (payment.refund?.refunded ?? ZERO)
  payment.refund = { description: payment.refund?.description ?? 'Set by the control endpoint', requested, refunded }
}

const ZERO = decimal('0')
