import { compareDecimals, type Money } from '../money/money.ts'
import type { PaymentDetails, PaymentReport } from './payment-report.ts'
import { factsOf, PAID_RANK, type PaymentPhase, type PaymentStatus } from './payment-status.ts'

/** A payment as its events have made it. */
export type Payment = {
  /** The upstream payment uuid. */
  readonly id: string
  /** The stream that holds its events: its link's, or its own when it was paid without a link. */
  readonly streamId: string
  /** Our correlation id of the link it was made through. */
  readonly linkRef: string | null
  /** Sequence of the last event that changed it. */
  readonly version: number
  readonly statusRaw: string
  /** Null while the payments API reports a status that this version does not know. */
  readonly status: PaymentStatus | null
  readonly phase: PaymentPhase
  /** Rank of the last status that was recognised. */
  readonly rank: number
  /** Every status that it has had: one that comes a second time needs a read to be believed. */
  readonly seen: readonly PaymentStatus[]
  /** A doubtful delivery is being checked against the payments API. */
  readonly provisional: boolean
  readonly details: PaymentDetails
  /** Instant of the last change, ISO 8601 in UTC. */
  readonly updatedAt: string
}

/** What became of a delivery: stored always, with or without an effect. */
export type Disposition = 'APPLIED' | 'STALE' | 'NO_CHANGE' | 'DOUBTFUL' | 'QUARANTINED'

export type PaymentChange = {
  readonly kind: 'PAYMENT_STATUS_CHANGED' | 'PAYMENT_DETAILS_CHANGED'
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
}

export type Decision = {
  readonly disposition: Disposition
  /** The change to record as an event; null when nothing changes. */
  readonly change: PaymentChange | null
  /** Whether the payment is in doubt from now on; null leaves it as it was. */
  readonly provisional: boolean | null
  /** Whether the payments API is to be asked what is true. */
  readonly confirm: boolean
}

/**
 * Decides what a webhook means for a payment. There is neither a timestamp nor a sequence number to go by, and retries
 * come up to 45 minutes late, so a status is believed at once only when it leads forward to somewhere new; what leads
 * back is believed when a read confirms it. Money that is here never goes back to unpaid.
 *
 * `repeat` says that the very same bytes came before. Source: payments-api.md, sections 3.2 and 6.1.
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
 * Decides what an answer of the payments API to a read means. A read tells the truth of its moment, so it may lead anywhere
 * but back from paid to under way, and a report about another currency or another amount is no answer at all.
 */
export function decideRead(state: Payment | null, report: PaymentReport): Decision {
  if (state === null) return apply(report, report.details, false)
  if (contradicts(state, report) || isOfAnotherAmount(state, report)) return STALE
  if (report.status !== null && factsOf(report.status).rank < WAITING_ENDS && state.rank >= PAID_RANK) return STALE
  const details = merge(state, report)
  if (report.statusRaw !== state.statusRaw) return { ...apply(report, details, false), provisional: false }
  const changed = !sameDetails(details, state.details)
  return {
    disposition: changed ? 'APPLIED' : 'NO_CHANGE',
    change: changed
      ? { kind: 'PAYMENT_DETAILS_CHANGED', statusRaw: state.statusRaw, status: state.status, details }
      : null,
    provisional: false,
    confirm: false,
  }
}

export type NewPayment = { readonly id: string; readonly streamId: string; readonly linkRef: string | null }

/** The payment after a change. `birth` names a payment of which nothing was known. */
export function evolve(
  state: Payment | NewPayment,
  change: PaymentChange,
  recorded: { sequence: number; at: string; provisional: boolean },
): Payment {
  const before = 'version' in state ? state : null
  const facts = change.status === null ? null : factsOf(change.status)
  const seen = before?.seen ?? []
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
    updatedAt: recorded.at,
  }
}

/** Fills in what the payments API left unsaid with the amount that the link was made for. */
export function withRequestedAmount(report: PaymentReport, requested: Money | null): PaymentReport {
  if (requested === null || (report.details.amount !== null && report.details.currency !== null)) return report
  const currency = report.details.currency ?? requested.currency
  const amount = report.details.amount ?? (currency === requested.currency ? requested.value : null)
  return { ...report, details: { ...report.details, currency, amount } }
}

/** A payment in the terms of a report: what is known of it already. */
export function reportOf({ id, statusRaw, status, details }: Payment): PaymentReport {
  return { paymentId: id, linkId: null, statusRaw, status, details, payer: { name: null, email: null } }
}

/** The first rank at which the customer is no longer under way: pending, authorised and waiting lie below it. */
const WAITING_ENDS = 3

const NOTHING_NEW: Decision = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
const STALE: Decision = { disposition: 'STALE', change: null, provisional: null, confirm: false }
const DOUBTFUL: Decision = { disposition: 'DOUBTFUL', change: null, provisional: true, confirm: true }

/** Statuses that end something, or hand money back: worth one read even when they lead forward. */
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

/** A payment that has gone back may have been told of this status late, from before it went back. */
function wasFurther(state: Payment, rank: number): boolean {
  return state.seen.some((status) => factsOf(status).rank >= rank)
}

function apply(report: PaymentReport, details: PaymentDetails, confirm: boolean): Decision {
  return {
    disposition: 'APPLIED',
    change: { kind: 'PAYMENT_STATUS_CHANGED', statusRaw: report.statusRaw, status: report.status, details },
    provisional: report.status === null,
    confirm,
  }
}

/**
 * The same bytes again are a retry, unless the payment has left that status since, or can have repeated it: the payments API
 * may report two equal partial refunds with the very same bytes. A payment that has gone back can repeat any status that
 * lies ahead of it.
 */
function decideRepeat(state: Payment, status: PaymentStatus): Decision {
  const { rank, repeatable } = factsOf(status)
  if (!repeatable && rank <= state.rank) return NOTHING_NEW
  if (status === 'partially_refunded') return { ...NOTHING_NEW, confirm: true }
  return status === state.status ? NOTHING_NEW : { ...NOTHING_NEW, provisional: true, confirm: true }
}

/** The same status with other bytes: it may fill in what was missing, but what it contradicts is settled by a read. */
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
  const [known, said] = [state.details.amount, report.details.amount]
  return known !== null && said !== null && compareDecimals(known, said) !== 0
}

/** What the report leaves out stays as it was; what belongs to a status that is over goes with it. */
function merge(state: Payment, report: PaymentReport): PaymentDetails {
  const said = Object.entries(report.details).filter(([, value]) => value !== null)
  const merged = { ...state.details, ...Object.fromEntries(said) } as PaymentDetails
  const failed = report.status === 'failed'
  return {
    ...merged,
    failureCode: failed ? merged.failureCode : null,
    failureMessage: failed ? merged.failureMessage : null,
    threeDsUrl: report.status === 'pending' ? merged.threeDsUrl : null,
    // What was paid before the money came says nothing about what has come.
    paid: report.status === 'received' && state.rank < PAID_RANK ? report.details.paid : merged.paid,
  }
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
