import type { Money } from '../money/money.ts'
import { type PaymentDetails, type PaymentReport, PAID_RANK } from './payment-report.ts'
import { type Decision, decideWebhook, type Payment, decideRead } from './payment.ts'

/** The request for a payment without a link (docs/payments-api.md, section 4.5), and the id of the payment. */
export type DirectPayin = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** Our correlation id, created before the request was sent: the last segment of the payment's webhook URL. */
  readonly ref: string
  readonly site: string
  readonly ownerId: string | null
  /** The merchant's own reference, such as an order id. */
  readonly reference: string
  /** `OPEN_AMOUNT` if the payer chooses the amount. */
  readonly requestedAmount: Money
  readonly methodCode: string
  /** ISO 8601 instant in UTC. */
  readonly createdAt: string
}

/**
 * Decides what the response to the creation of a payment means. It shows the payment's first state, so if webhooks were applied earlier, it
 * can only lead forward or fill in missing details. Only another currency is a contradiction, which a read settles.
 */
export function decideCreation(state: Payment | null, report: PaymentReport): Decision {
  const decision = decideWebhook(state, report, false)
  if (state === null || otherCurrency(state.details, report.details)) return decision
  if (decision.change !== null && report.status !== null) return decision
  const missing = missingDetails(state, report)
  if (missing === null) return { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
  const { statusRaw, status } = state
  const details = { ...state.details, ...missing }
  return {
    disposition: 'APPLIED',
    change: { kind: 'PAYMENT_DETAILS_CHANGED', statusRaw, status, details },
    provisional: null,
    confirm: false,
  }
}

/** Details that do not depend on the status. The other details of an earlier status may be outdated. */
const LASTING: readonly (keyof PaymentDetails)[] = [
  'currency',
  'amount',
  'total',
  'reference',
  'methodRaw',
  'card',
  'instructions',
  'expiresAt',
  'createdAt',
]

function missingDetails(state: Payment, report: PaymentReport): Partial<PaymentDetails> | null {
  const all = Object.keys(report.details) as (keyof PaymentDetails)[]
  const candidates = state.statusRaw === report.statusRaw ? all : LASTING
  const missing = candidates.filter((key) => state.details[key] === null && report.details[key] !== null)
  return missing.length === 0 ? null : Object.fromEntries(missing.map((key) => [key, report.details[key]]))
}

function otherCurrency(known: PaymentDetails, said: PaymentDetails): boolean {
  return known.currency !== null && said.currency !== null && known.currency !== said.currency
}

/**
 * Returns whether an entry of a list may be used instead of a read of this payment. After a refund or a dispute the details matter, which
 * entries may not contain; and a doubt is settled only by a read of the payment (gap sheet, sections 5.3 and 10).
 */
export function isListable({ rank, status, provisional }: Pick<Payment, 'rank' | 'status' | 'provisional'>): boolean {
  return !provisional && status !== null && rank <= PAID_RANK
}

/** Returns whether an entry of a list agrees with the recorded payment and may be used instead of a read. */
export function confirmsListed(payment: Payment, report: PaymentReport): boolean {
  return isListable(payment) && decideRead(payment, report).disposition === 'NO_CHANGE'
}

/**
 * Returns whether an entry of the list of links may show a link that nobody has begun to pay through: the payments API then lists it as if
 * there were a payment with the link's own uuid, which is pending or expired, and the flat form does not tell the two apart (gap sheet,
 * sections 5.3 and 5.4). Such an entry is no payment yet; once it is one, it has another status or another uuid.
 */
export function isPerhapsUnused({ paymentId, linkId, status }: PaymentReport): boolean {
  const isOwn = linkId === null || linkId === paymentId
  return isOwn && (status === 'pending' || status === 'expired')
}
