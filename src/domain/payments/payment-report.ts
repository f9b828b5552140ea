import type { RequestedRefund } from './refund.ts'

/**
 * The content of a webhook, or of the response to a read, about one payment, in the types of this project. Fields that the body omits, or
 * that are unreadable, are null.
 */
export type PaymentReport = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** The upstream link uuid, if the body contains one besides the payment's. */
  readonly linkId: string | null
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
  readonly payer: Payer
  /** The reason of its latest refund; it is compared, and not stored. */
  readonly refundDescription?: string | null
  /** The refund whose request it answers. */
  readonly requestedRefund?: RequestedRefund
}

/** Everything about a payment except its status and its payer. Decimals are plain digits. */
export type PaymentDetails = {
  readonly currency: string | null
  readonly amount: string | null
  readonly total: string | null
  readonly paid: string | null
  readonly refunded: string | null
  readonly refundable: boolean | null
  readonly reference: string | null
  /** `payment_method` as received: a method code, or a short word such as `card`. */
  readonly methodRaw: string | null
  readonly card: CardDetails | null
  /** URL at which the customer completes 3-D Secure. */
  readonly threeDsUrl: string | null
  readonly failureCode: string | null
  readonly failureMessage: string | null
  /** The data that the customer needs to pay a direct payin, under the payments API's own names. */
  readonly instructions: Readonly<Record<string, unknown>> | null
  /** ISO 8601 instants in UTC with milliseconds. */
  readonly expiresAt: string | null
  readonly createdAt: string | null
}

export type CardDetails = {
  readonly brand: string | null
  readonly type: string | null
  readonly last4: string | null
  readonly countryCode: string | null
}

/** The payer: stored separately, so that it can be protected, and erased, independently. */
export type Payer = { readonly name: string | null; readonly email: string | null }

/** The statuses that the payments API documents (docs/payments-api.md, section 3.2), in its own spelling. */
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

/** The coarse statuses: a fixed set. */
export const PAYMENT_PHASES = [
  'IN_PROGRESS',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'REFUNDING',
  'REFUNDED',
  'DISPUTED',
] as const

export type PaymentPhase = (typeof PAYMENT_PHASES)[number]

type StatusFacts = {
  /** Progress of the payment: a higher rank is newer, between equal ranks the order is open. */
  readonly rank: number
  readonly phase: PaymentPhase
  /** At rest: a later status is possible (a refund, a retry), but nothing is in progress. */
  readonly terminal: boolean
  /** The payments API may report it more than once for one payment, with the same bytes. */
  readonly repeatable: boolean
}

const FACTS: Readonly<Record<PaymentStatus, StatusFacts>> = {
  pending: { rank: 0, phase: 'IN_PROGRESS', terminal: false, repeatable: true },
  authorised: { rank: 1, phase: 'IN_PROGRESS', terminal: false, repeatable: false },
  waiting: { rank: 2, phase: 'IN_PROGRESS', terminal: false, repeatable: false },
  failed: { rank: 3, phase: 'FAILED', terminal: true, repeatable: true },
  expired: { rank: 3, phase: 'EXPIRED', terminal: true, repeatable: true },
  received: { rank: 4, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  return_pending: { rank: 5, phase: 'REFUNDING', terminal: false, repeatable: true },
  return_rejected: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  return_expired: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  partially_refunded: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  in_dispute: { rank: 5, phase: 'DISPUTED', terminal: false, repeatable: true },
  return_received: { rank: 6, phase: 'REFUNDED', terminal: true, repeatable: false },
  dispute_lost: { rank: 6, phase: 'DISPUTED', terminal: true, repeatable: false },
}

/** From this rank on the payment is paid: no webhook changes it back to an unpaid status by itself. */
export const PAID_RANK = 4

/** Undocumented spellings of documented statuses on other pages of the payments API (gap sheet, C2). */
const OTHER_SPELLINGS: ReadonlyMap<string, PaymentStatus> = new Map([
  ['refunded', 'return_received'],
  ['canceled', 'expired'],
])

const known: ReadonlySet<string> = new Set(PAYMENT_STATUSES)

/** Returns the documented status for a received value; null for a status that this version does not recognise. */
export function recogniseStatus(raw: string): PaymentStatus | null {
  return known.has(raw) ? (raw as PaymentStatus) : (OTHER_SPELLINGS.get(raw) ?? null)
}

/** Returns rank, phase, finality and repeatability of a status. */
export function factsOf(status: PaymentStatus): StatusFacts {
  return FACTS[status]
}
