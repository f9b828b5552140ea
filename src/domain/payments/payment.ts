import { mayBeRecordedAs, type Money } from '../money/money.ts'
import { type Dispute, disputeAfter } from './dispute.ts'
import {
  type PaymentDetails,
  type PaymentReport,
  factsOf,
  PAID_RANK,
  type PaymentPhase,
  type PaymentStatus,
  type Refund,
  refundsAfter,
  type RequestedRefund,
} from './payment-report.ts'

/** A payment: the result of its events. */
export type Payment = {
  /** The upstream payment uuid. */
  readonly id: string
  /** Id of the stream that contains its events: its link's, or its own if it was paid without a link. */
  readonly streamId: string
  /** Our correlation id of the link through which it was made. */
  readonly linkRef: string | null
  /** Sequence of the last event that changed it. */
  readonly version: number
  readonly statusRaw: string
  /** Null while the payments API reports a status that this version does not recognise. */
  readonly status: PaymentStatus | null
  readonly phase: PaymentPhase
  /** Rank of the last recognised status. */
  readonly rank: number
  /** All statuses that it has had. A status that is reported a second time needs confirmation by a read. */
  readonly seen: readonly PaymentStatus[]
  /** The payment is in doubt until a read confirms its status. */
  readonly provisional: boolean
  readonly details: PaymentDetails
  /** Oldest first; absent for a payment without any. */
  readonly refunds?: readonly Refund[]
  /** Absent for a payment that was never disputed. */
  readonly dispute?: Dispute
  /** Instant of the last change, ISO 8601 in UTC. */
  readonly updatedAt: string
}

/** Outcome of a delivery. Every delivery is stored, with or without an effect. */
export type Disposition = 'APPLIED' | 'STALE' | 'NO_CHANGE' | 'DOUBTFUL' | 'QUARANTINED'

export type PaymentChange = {
  readonly kind:
    | 'PAYMENT_STATUS_CHANGED'
    | 'PAYMENT_DETAILS_CHANGED'
    | 'DUPLICATE_PAYMENT_FOUND'
    | 'DUPLICATE_PAYMENT_RESOLVED'
    | 'PAYMENT_CONFIRMED'
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
  /** The refund whose request the change answers. */
  readonly requestedRefund?: RequestedRefund
}

export type Decision = {
  readonly disposition: Disposition
  /** The change to record as an event; null if nothing changes. */
  readonly change: PaymentChange | null
  /** Whether the payment is provisional from now on; null leaves it unchanged. */
  readonly provisional: boolean | null
  /** Whether a read of the payments API is due. */
  readonly confirm: boolean
}

/**
 * Decides what a webhook means for a payment. A webhook contains neither a timestamp nor a sequence number, and retries arrive up to 45
 * minutes late, so a status is applied immediately only if it leads forward to a new status; a status that leads back is applied only after
 * a read confirms it. A webhook that reports a paid payment as pending, authorised or waiting is stale.
 *
 * `repeat` means that the same bytes were received before. Source: payments-api.md, sections 3.2 and 6.1; table:
 * payment-dispositions.test.ts.
 */
export function decideWebhook(state: Payment | null, report: PaymentReport, repeat: boolean): Decision {
  if (state === null) return apply(report, report.details, needsConfirmation(report.status))
  if (contradicts(state, report)) return DOUBTFUL
  if (report.status === null)
    return repeat || report.statusRaw === state.statusRaw ? NOTHING_NEW : apply(report, merge(state, report), true)
  const incoming = factsOf(report.status)
  if (incoming.rank < WAITING_ENDS && state.rank >= PAID_RANK) return STALE
  if (repeat) return decideRepeat(state, report.status)
  if (report.status === state.status) return decideSameStatus(state, report)
  const leadsForward = incoming.rank > state.rank && !state.seen.includes(report.status)
  if (!leadsForward) return DOUBTFUL
  return apply(report, merge(state, report), needsConfirmation(report.status) || wasFurther(state, incoming.rank))
}

/**
 * Decides what the response of the payments API to a read means. It shows the state at the time of the response, so it may lead to any
 * status, except from paid back to pending, authorised or waiting. A report with another currency or another amount is stale.
 */
export function decideRead(state: Payment | null, report: PaymentReport): Decision {
  if (state === null) return apply(report, report.details, false)
  if (contradicts(state, report) || isOfAnotherAmount(state, report)) return STALE
  if (report.status !== null && factsOf(report.status).rank < WAITING_ENDS && state.rank >= PAID_RANK) return STALE
  const details = merge(state, report)
  if (report.statusRaw !== state.statusRaw) return { ...apply(report, details, false), provisional: false }
  const { requestedRefund } = report
  const changed = !sameDetails(details, state.details) || requestedRefund !== undefined
  return {
    disposition: changed ? 'APPLIED' : 'NO_CHANGE',
    change: changed
      ? {
          kind: 'PAYMENT_DETAILS_CHANGED',
          statusRaw: state.statusRaw,
          status: state.status,
          details,
          ...(requestedRefund === undefined ? {} : { requestedRefund }),
        }
      : null,
    provisional: false,
    confirm: false,
  }
}

export type NewPayment = { readonly id: string; readonly streamId: string; readonly linkRef: string | null }

/** Returns the payment after a change. For the first change, `state` contains only the ids of the new payment. */
export function evolve(
  state: Payment | NewPayment,
  change: PaymentChange,
  recorded: { sequence: number; at: string; provisional: boolean },
): Payment {
  const before = 'version' in state ? state : null
  const facts = change.status === null ? null : factsOf(change.status)
  const seen = before?.seen ?? []
  const refunds = refundsAfter(before, change, { ...recorded, requested: change.requestedRefund ?? null })
  const dispute = disputeAfter(before, change, recorded.at)
  return {
    id: state.id,
    streamId: state.streamId,
    linkRef: state.linkRef,
    version: recorded.sequence,
    statusRaw: change.statusRaw,
    status: change.status,
    phase: facts?.phase ?? before?.phase ?? 'IN_PROGRESS',
    rank: facts?.rank ?? before?.rank ?? 0,
    seen: change.status === null || seen.includes(change.status) ? seen : [...seen, change.status],
    provisional: recorded.provisional,
    details: change.details,
    ...(refunds.length === 0 ? {} : { refunds }),
    ...(dispute === undefined ? {} : { dispute }),
    updatedAt: recorded.at,
  }
}

/** Returns the report with the requested amount and currency of the link or payin, if the payments API has reported none. */
export function withRequestedAmount(report: PaymentReport, requested: Money | null): PaymentReport {
  if (requested === null || (report.details.amount !== null && report.details.currency !== null)) return report
  const currency = report.details.currency ?? requested.currency
  const amount = report.details.amount ?? (currency === requested.currency ? requested.value : null)
  return { ...report, details: { ...report.details, currency, amount } }
}

/** Returns a payment as a report that contains its known state. */
export function reportOf({ id, statusRaw, status, details }: Payment): PaymentReport {
  return { paymentId: id, linkId: null, statusRaw, status, details, payer: { name: null, email: null } }
}

/** First rank after pending, authorised and waiting: the customer has paid, or the payment has ended. */
const WAITING_ENDS = 3

const NOTHING_NEW: Decision = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
const STALE: Decision = { disposition: 'STALE', change: null, provisional: null, confirm: false }
const DOUBTFUL: Decision = { disposition: 'DOUBTFUL', change: null, provisional: true, confirm: true }

/** Statuses that end something or return money: they need a read even if they lead forward. */
const CONFIRMED_BY_READ: ReadonlySet<PaymentStatus> = new Set([
  'failed',
  'expired',
  'in_dispute',
  'return_pending',
  'return_rejected',
  'return_expired',
  'partially_refunded',
  'return_received',
])

function needsConfirmation(status: PaymentStatus | null): boolean {
  return status === null || CONFIRMED_BY_READ.has(status)
}

/** Returns the code of a payment's method. If the payments API reports a word such as `card` and no code, this is the code of the link or payin. */
export function methodCodeOf(
  { details: { methodRaw } }: Pick<Payment, 'details'>,
  made: { readonly methodCode: string | null } | null,
): string | null {
  return methodRaw?.includes('_') === true ? methodRaw : (made?.methodCode ?? null)
}

/** Returns whether the payment ever had a status of at least this rank: then the reported status may be from before it went back. */
function wasFurther(state: Payment, rank: number): boolean {
  return state.seen.some((status) => factsOf(status).rank >= rank)
}

function apply(report: PaymentReport, details: PaymentDetails, confirm: boolean): Decision {
  return {
    disposition: 'APPLIED',
    change: {
      kind: 'PAYMENT_STATUS_CHANGED',
      statusRaw: report.statusRaw,
      status: report.status,
      details,
      ...(report.requestedRefund === undefined ? {} : { requestedRefund: report.requestedRefund }),
    },
    provisional: report.status === null,
    confirm,
  }
}

/**
 * Decides what a repeat of the same bytes means. It is a retry, unless the payment has another status by now, or the status can be
 * repeated: the payments API may report two equal partial refunds with the same bytes. A payment that went back can repeat any status of a
 * higher rank.
 */
function decideRepeat(state: Payment, status: PaymentStatus): Decision {
  const { rank, repeatable } = factsOf(status)
  if (!repeatable && rank <= state.rank) return NOTHING_NEW
  if (status === 'partially_refunded') return { ...NOTHING_NEW, confirm: true }
  return status === state.status ? NOTHING_NEW : { ...NOTHING_NEW, provisional: true, confirm: true }
}

/** The same status with other bytes: missing details are filled in, and a read settles contradictions. */
function decideSameStatus(state: Payment, report: PaymentReport): Decision {
  const details = merge(state, report)
  if (sameDetails(details, state.details)) return NOTHING_NEW
  if (!onlyFillsIn(state.details, report.details)) return DOUBTFUL
  return {
    disposition: 'APPLIED',
    change: { kind: 'PAYMENT_DETAILS_CHANGED', statusRaw: state.statusRaw, status: state.status, details },
    provisional: null,
    confirm: false,
  }
}

function contradicts(state: Payment, report: PaymentReport): boolean {
  const known = state.details.currency
  return known !== null && report.details.currency !== null && known !== report.details.currency
}

function isOfAnotherAmount(state: Payment, report: PaymentReport): boolean {
  const { amount: value, currency } = state.details
  const said = report.details.amount
  // Until the payments API tells the recorded amount, the requested one is known.
  return value !== null && said !== null && !mayBeRecordedAs({ value, currency: currency ?? '' }, said)
}

/**
 * Returns the known details with those of a report. Details that the report omits stay unchanged; details that belong to an earlier status
 * are removed.
 */
function merge(state: Payment, report: PaymentReport): PaymentDetails {
  const merged = filledIn(state.details, report.details)
  const failed = report.status === 'failed'
  return {
    ...merged,
    failureCode: failed ? merged.failureCode : null,
    failureMessage: failed ? merged.failureMessage : null,
    threeDsUrl: report.status === 'pending' ? merged.threeDsUrl : null,
    // An amount paid before `received` says nothing about the amount received.
    paid: report.status === 'received' && state.rank < PAID_RANK ? report.details.paid : merged.paid,
  }
}

/** Returns the details with those of `said` that are known. */
function filledIn(details: PaymentDetails, said: PaymentDetails): PaymentDetails {
  const filled: Record<string, unknown> = { ...details }
  for (const key of detailKeys(said)) if (said[key] !== null) filled[key] = said[key]
  return filled as PaymentDetails
}

function onlyFillsIn(before: PaymentDetails, said: PaymentDetails): boolean {
  return detailKeys(said).every((key) => before[key] === null || said[key] === null || same(before[key], said[key]))
}

function sameDetails(a: PaymentDetails, b: PaymentDetails): boolean {
  return detailKeys(a).every((key) => same(a[key], b[key]))
}

function detailKeys(details: PaymentDetails): (keyof PaymentDetails)[] {
  return Object.keys(details) as (keyof PaymentDetails)[]
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

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
