import type { Disposition } from '../payments/payment.ts'
import {
  filledIn,
  mergeFacts,
  NOTHING_KNOWN,
  type PayoutFacts,
  replaces,
  type ReportedPayout,
  sameFacts,
  type PayoutReport,
  type PayoutStatus,
} from './payout-report.ts'

/** A payout that was made here: the result of its events. The payees are stored separately, so that they can be protected, and erased. */
export type Payout = PayoutFacts &
  NewPayout & {
    /** Sequence of the last event that changed it. */
    readonly version: number
    readonly statusRaw: string
    /** Null while the payments API reports a status that this version does not recognise. */
    readonly status: PayoutStatus | null
    /** The furthest of the statuses that it has had: a callback with an earlier one is late. */
    readonly reached: PayoutStatus | null
    /** The last report is uncertain, and a read is due to confirm it. */
    readonly provisional: boolean
    /** Instant of its first event, ISO 8601 in UTC. */
    readonly createdAt: string
    /** Instant of the last change, ISO 8601 in UTC. */
    readonly updatedAt: string
  }

/** The ids of a payout of which nothing else is known. */
export type NewPayout = {
  /** The upstream uuid; of a v1 payout `v1-` and its number. */
  readonly id: string
  /** Our correlation id, created before the request was sent: the last segment of the payout's callback URL. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
}

export type PayoutChange = {
  readonly kind: 'PAYOUT_CREATED' | 'PAYOUT_STATUS_CHANGED' | 'PAYOUT_DETAILS_CHANGED'
  readonly statusRaw: string
  readonly status: PayoutStatus | null
  readonly facts: PayoutFacts
}

export type PayoutDecision = {
  readonly disposition: Disposition
  /** The change to record as an event; null if nothing changes. */
  readonly change: PayoutChange | null
  /** Whether the payout is provisional from now on; null leaves it unchanged. */
  readonly provisional: boolean | null
  /** Whether a read of the payments API is due. */
  readonly confirm: boolean
}

/** Returns the id of the stream that contains the events of a payout. */
export function payoutStreamId(id: string): string {
  return `${STREAM}${id}`
}

/** Returns whether a stream contains the events of a payout. */
export function isPayoutStream(streamId: string): boolean {
  return streamId.startsWith(STREAM)
}

/** Returns whether events of this kind are about payouts. */
export function isPayoutKind(kind: string): kind is PayoutChange['kind'] {
  return kind in KINDS
}

const STREAM = 'payout:'
const KINDS: Readonly<Record<PayoutChange['kind'], true>> = {
  PAYOUT_CREATED: true,
  PAYOUT_STATUS_CHANGED: true,
  PAYOUT_DETAILS_CHANGED: true,
}

/** How far a payout with this status has come. `completed` and `expired` are ends, of which one excludes the other. */
const RANKS: Readonly<Record<PayoutStatus, number>> = {
  created: 0,
  scheduled: 1,
  processing: 2,
  completed: 3,
  expired: 3,
}
const FINAL_RANK = 3

/** Returns whether a payout is on record here, and not just a report of the payments API. */
export function isRecorded(payout: Payout | PayoutReport): payout is Payout {
  return 'streamId' in payout
}

/** Returns whether a payout is at its end: nobody is paid after it, but what was paid may come back. An unrecognised status is none. */
export function isFinished({ status }: { readonly status: PayoutStatus | null }): boolean {
  return status !== null && RANKS[status] === FINAL_RANK
}

/**
 * Decides what a callback means for a payout. A callback contains no time of sending, but the statuses of a batch have an order, so one
 * that leads forward is applied at once and one that leads back is late. A read decides where neither is certain: after an unrecognised status, after an
 * end, because the money may come back from the payee's bank, and where a callback replaces what was known.
 *
 * `repeat` means that the same bytes were received before. Source: gap sheet, sections 19 and 25.3.
 */
export function decidePayoutCallback(state: Payout | null, report: ReportedPayout, repeat: boolean): PayoutDecision {
  if (state === null) return create(report, { confirm: report.status === null })
  if (contradicts(state, report)) return DOUBTFUL
  const facts = mergeFacts(state, report)
  if (!hasStatus(state, report)) {
    if (isFinished(state) && !isLate(state, report)) return DOUBTFUL
    if (isLate(state, report)) return { ...STALE, confirm: mayBeNew(state, report) }
    if (repeat) return IN_DOUBT
    const isPlain = leadsForward(state, report)
    return { ...changeStatus(report, facts), provisional: isPlain ? null : true, confirm: !isPlain }
  }
  if (sameFacts(state, facts)) return NOTHING_NEW
  return repeat ? IN_DOUBT : changeDetails(state, facts, replaces(state, facts))
}

/**
 * Decides what a response of the payments API means, to a read or to a cancellation. It shows the state at the time of the response, so it
 * may lead to any status, except back to `created`. Source: gap sheet, sections 19 and 20.
 */
export function decidePayoutRead(state: Payout | null, report: ReportedPayout): PayoutDecision {
  if (state === null) return { ...create(report, { confirm: false }), provisional: false }
  if (contradicts(state, report)) return STALE
  const facts = mergeFacts(state, report)
  if (hasStatus(state, report))
    return sameFacts(state, facts)
      ? { ...NOTHING_NEW, provisional: false }
      : { ...changeDetails(state, facts, false), provisional: false }
  if (report.status === 'created' && state.reached !== null && state.reached !== 'created') return STALE
  return { ...changeStatus(report, facts), provisional: false, confirm: false }
}

/**
 * Decides what the response to the creation of a payout means. It shows the payout's first state, and may be found much later by a search,
 * so it counts like a callback; of one that is late only missing facts are taken.
 */
export function decidePayoutCreation(state: Payout | null, report: ReportedPayout): PayoutDecision {
  if (state === null) return decidePayoutRead(null, report)
  const decision = decidePayoutCallback(state, report, false)
  if (decision.disposition !== 'STALE') return decision
  const facts = filledIn(state, report)
  return sameFacts(state, facts) ? decision : { ...changeDetails(state, facts, false), confirm: decision.confirm }
}

/** Returns the payout after a change. For the first change, `state` contains only the ids of the new payout. */
export function evolvePayout(
  state: Payout | NewPayout,
  change: PayoutChange,
  recorded: { readonly sequence: number; readonly at: string; readonly provisional: boolean },
): Payout {
  const { reached, createdAt } = 'version' in state ? state : { reached: null, createdAt: recorded.at }
  return {
    ...change.facts,
    id: state.id,
    ref: state.ref,
    streamId: state.streamId,
    site: state.site,
    version: recorded.sequence,
    statusRaw: change.statusRaw,
    status: change.status,
    reached: further(reached, change.status),
    provisional: recorded.provisional,
    createdAt,
    updatedAt: recorded.at,
  }
}

const NOTHING_NEW: PayoutDecision = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
const STALE: PayoutDecision = { disposition: 'STALE', change: null, provisional: null, confirm: false }
const DOUBTFUL: PayoutDecision = { disposition: 'DOUBTFUL', change: null, provisional: true, confirm: true }

/** A repeat of bytes that differ from the current state: either a late retry, or the same change a second time. */
const IN_DOUBT: PayoutDecision = { ...NOTHING_NEW, provisional: true, confirm: true }

function create(report: ReportedPayout, { confirm }: { readonly confirm: boolean }): PayoutDecision {
  const { statusRaw, status } = report
  return {
    disposition: 'APPLIED',
    change: { kind: 'PAYOUT_CREATED', statusRaw, status, facts: mergeFacts(NOTHING_KNOWN, report) },
    provisional: status === null,
    confirm,
  }
}

function changeStatus(
  { statusRaw, status }: ReportedPayout,
  facts: PayoutFacts,
): Pick<PayoutDecision, 'disposition' | 'change'> {
  return { disposition: 'APPLIED', change: { kind: 'PAYOUT_STATUS_CHANGED', statusRaw, status, facts } }
}

/** A value that was missing is accepted; a value that replaces another may be older than it, so a read is due. */
function changeDetails({ statusRaw, status }: Payout, facts: PayoutFacts, isUncertain: boolean): PayoutDecision {
  return {
    disposition: 'APPLIED',
    change: { kind: 'PAYOUT_DETAILS_CHANGED', statusRaw, status, facts },
    provisional: isUncertain ? true : null,
    confirm: isUncertain,
  }
}

function further(reached: PayoutStatus | null, status: PayoutStatus | null): PayoutStatus | null {
  if (reached === null || status === null) return status ?? reached
  return RANKS[status] >= RANKS[reached] ? status : reached
}

/** Returns whether the status is one that the payout had before one that it has reached. */
function isLate({ reached }: Payout, { status }: ReportedPayout): boolean {
  return status !== null && reached !== null && RANKS[status] < RANKS[reached]
}

/** Returns whether a late status may be the payout's again: any after an unrecognised one, after an end only that it is processed again. */
function mayBeNew(state: Payout, report: ReportedPayout): boolean {
  return state.status === null || (isFinished(state) && report.status === 'processing')
}

/** Returns whether the status can only be newer than all that were reported. After an unrecognised one, nothing is certain to be. */
function leadsForward({ status: known, reached }: Payout, { status }: ReportedPayout): boolean {
  return status !== null && known !== null && reached !== null && RANKS[status] > RANKS[reached]
}

function hasStatus(state: Payout, report: ReportedPayout): boolean {
  return report.status === null ? report.statusRaw === state.statusRaw : report.status === state.status
}

/** Returns whether a report is about another batch. Its method and currency are those of its creation. */
function contradicts(state: Payout, report: ReportedPayout): boolean {
  const differs = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b
  return (
    state.id !== report.id || differs(state.currency, report.currency) || differs(state.methodCode, report.methodCode)
  )
}
