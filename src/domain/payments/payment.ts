import { compareDecimals, type Money } from '../money/money.ts'
import type { PaymentDetails, PaymentReport } from './payment-report.ts'
import { factsOf, PAID_RANK, type PaymentPhase, type PaymentStatus } from './payment-status.ts'

/** The state of a payment: the result of its events. */
export type Payment = {
  /** The upstream payment uuid. */
  readonly id: string
  /** The stream with its events: that of its link, or its own if it has no link. */
  readonly streamId: string
  /** Our correlation id of its link; null without one. */
  readonly linkRef: string | null
  /** Sequence of the last event that changed it. */
  readonly version: number
  readonly statusRaw: string
  /** Null while the payments API reports a status that this version does not know. */
  readonly status: PaymentStatus | null
  readonly phase: PaymentPhase
  /** Rank of the last status that was recognised. */
  readonly rank: number
  /** Every status that it has had: a status that is reported for the second time must be confirmed by a read. */
  readonly seen: readonly PaymentStatus[]
  /** A doubtful delivery is to be confirmed by a read. */
  readonly provisional: boolean
  readonly details: PaymentDetails
  /** Instant of the last change, ISO 8601 in UTC. */
  readonly updatedAt: string
}

/** The effect of a delivery. Every delivery is stored. */
export type Disposition = 'APPLIED' | 'STALE' | 'NO_CHANGE' | 'DOUBTFUL' | 'QUARANTINED'

export type PaymentChange = {
  readonly kind: 'PAYMENT_STATUS_CHANGED' | 'PAYMENT_DETAILS_CHANGED'
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
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
 * Decides what a webhook means for a payment. Webhooks have neither a timestamp nor a sequence number, and retries arrive up to 45 minutes
 * late. So a status is accepted at once only if it leads forward to one that the payment has not had; one that leads back must be
 * confirmed by a read. A paid payment never becomes unpaid.
 *
 * `repeat` is true if identical bytes were received before. Source: payments-api.md, sections 3.2 and 6.1.
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
 * Decides what the response to a read means. A read shows the true state at its moment, so it may lead to any status except from paid to
 * unpaid. A report with another currency or another amount is not usable.
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

/** Returns the payment after a change. `birth` contains the ids of a new payment. */
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

/** Returns the report with the requested amount of the link if the payments API has reported none. */
export function withRequestedAmount(report: PaymentReport, requested: Money | null): PaymentReport {
  if (requested === null || (report.details.amount !== null && report.details.currency !== null)) return report
  const currency = report.details.currency ?? requested.currency
  const amount = report.details.amount ?? (currency === requested.currency ? requested.value : null)
  return { ...report, details: { ...report.details, currency, amount } }
}

/** Returns the recorded state of a payment as a report. */
export function reportOf({ id, statusRaw, status, details }: Payment): PaymentReport {
  return { paymentId: id, linkId: null, statusRaw, status, details, payer: { name: null, email: null } }
}

/** The first rank after the customer's part: pending, authorised and waiting are below it. */
const WAITING_ENDS = 3

const NOTHING_NEW: Decision = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
const STALE: Decision = { disposition: 'STALE', change: null, provisional: null, confirm: false }
const DOUBTFUL: Decision = { disposition: 'DOUBTFUL', change: null, provisional: true, confirm: true }

/** Statuses that end something or return money: confirmed by one read even if they lead forward. */
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

/** Returns whether a payment that has gone back was further before. A report of this status may be late, from before it went back. */
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
 * Identical bytes are a retry, unless the payment has left that status since, or the status is repeatable: the payments API may report two
 * equal partial refunds with identical bytes. A payment that has gone back can repeat any status that lies ahead of it.
 */
function decideRepeat(state: Payment, status: PaymentStatus): Decision {
  const { rank, repeatable } = factsOf(status)
  if (!repeatable && rank <= state.rank) return NOTHING_NEW
  if (status === 'partially_refunded') return { ...NOTHING_NEW, confirm: true }
  return status === state.status ? NOTHING_NEW : { ...NOTHING_NEW, provisional: true, confirm: true }
}

/** Decides for the same status with other bytes: missing facts are added, and a contradiction is settled by a read. */
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

/** Fields that the report omits are unchanged; fields of a status that has ended are removed. */
function merge(state: Payment, report: PaymentReport): PaymentDetails {
  const said = Object.entries(report.details).filter(([, value]) => value !== null)
  const merged = { ...state.details, ...Object.fromEntries(said) } as PaymentDetails
  const failed = report.status === 'failed'
  return {
    ...merged,
    failureCode: failed ? merged.failureCode : null,
    failureMessage: failed ? merged.failureMessage : null,
    threeDsUrl: report.status === 'pending' ? merged.threeDsUrl : null,
    // An amount that was reported before the payment was received does not show what was received.
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
