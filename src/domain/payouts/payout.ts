import { compareDecimals } from '../money/money.ts'
import type { Disposition } from '../payments/payment.ts'
import type { PayoutReport, PayoutStatus, PayoutTransaction } from './payout-report.ts'

/** Everything about a payout except its status and its payees. Values that the payments API has not reported are null. */
export type PayoutFacts = Omit<PayoutReport, 'id' | 'statusRaw' | 'status' | 'payees' | 'endpointUrl'> & {
  /** When the payments API accepted a cancellation that was requested here; null without one. */
  readonly cancelledAt: string | null
}

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
  /** The upstream uuid. */
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

/** A report, and the instant of an accepted cancellation if it is the response to one. */
export type ReportedPayout = PayoutReport & { readonly cancelledAt?: string | undefined }

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

/** Returns whether a payout is at its end: nobody is paid after it. An unrecognised status is none. */
export function isFinished({ status }: { readonly status: PayoutStatus | null }): boolean {
  return status !== null && RANKS[status] === FINAL_RANK
}

/**
 * Decides what a callback means for a payout. A callback contains no time of sending, but the statuses of a batch have an order, so one
 * that leads forward is applied at once and one that leads back is late. A read decides where neither is certain: after an unrecognised status, between
 * the two ends, and where a callback replaces what was known.
 *
 * `repeat` means that the same bytes were received before. Source: gap sheet, sections 19 and 25.3.
 */
export function decidePayoutCallback(state: Payout | null, report: ReportedPayout, repeat: boolean): PayoutDecision {
  if (state === null) return create(report, { confirm: report.status === null })
  if (contradicts(state, report)) return DOUBTFUL
  const facts = merge(state, report)
  if (!hasStatus(state, report)) {
    if (state.status === 'completed') return STALE
    if (isFinished(state)) return isLate(state, report) ? STALE : DOUBTFUL
    if (isLate(state, report)) return { ...STALE, confirm: state.status === null }
    if (repeat) return IN_DOUBT
    const isPlain = leadsForward(state, report)
    return { ...changeStatus(report, facts), provisional: isPlain ? null : true, confirm: !isPlain }
  }
  if (sameFacts(state, facts)) return NOTHING_NEW
  return repeat ? IN_DOUBT : changeDetails(state, facts, replaces(state, facts))
}

/**
 * Decides what a response of the payments API means, to a read or to a cancellation. It shows the state at the time of the response, so it
 * may lead to any status, except out of `completed` and back to `created`. Source: gap sheet, sections 19 and 20.
 */
export function decidePayoutRead(state: Payout | null, report: ReportedPayout): PayoutDecision {
  if (state === null) return { ...create(report, { confirm: false }), provisional: false }
  if (contradicts(state, report)) return STALE
  const facts = merge(state, report)
  if (hasStatus(state, report))
    return sameFacts(state, facts)
      ? { ...NOTHING_NEW, provisional: false }
      : { ...changeDetails(state, facts, false), provisional: false }
  if (state.status === 'completed') return STALE
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
    change: { kind: 'PAYOUT_CREATED', statusRaw, status, facts: merge(NOTHING_KNOWN, report) },
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

/** Returns whether the status can only be newer than all that were reported. After an unrecognised one, only an end is certain to be. */
function leadsForward({ status: known, reached }: Payout, { status }: ReportedPayout): boolean {
  if (status === null) return false
  if (known === null || reached === null) return RANKS[status] === FINAL_RANK
  return RANKS[status] > RANKS[reached]
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

/** The facts of a payout before its first report. */
const NOTHING_KNOWN: PayoutFacts = {
  totalAmount: null,
  currency: null,
  methodCode: null,
  description: null,
  externalId: null,
  scheduledAt: null,
  errorCode: null,
  errorMessage: null,
  transactions: [],
  cancelledAt: null,
}

/**
 * Returns the known facts with those of a report. Facts that the report omits, or only spells in another way, stay unchanged. An error
 * is that of a status: with another status it ends, unless the report repeats it.
 */
function merge(known: PayoutFacts & { readonly statusRaw?: string }, said: ReportedPayout): PayoutFacts {
  const hasEnded = known.statusRaw !== said.statusRaw
  return {
    totalAmount: newerDecimal(known.totalAmount, said.totalAmount),
    currency: known.currency ?? said.currency,
    methodCode: known.methodCode ?? said.methodCode,
    description: said.description ?? known.description,
    externalId: said.externalId ?? known.externalId,
    scheduledAt: said.scheduledAt ?? known.scheduledAt,
    errorCode: said.errorCode ?? (hasEnded ? null : known.errorCode),
    errorMessage: said.errorMessage ?? (hasEnded ? null : known.errorMessage),
    transactions: mergeTransactions(known.transactions, said.transactions),
    cancelledAt: known.cancelledAt ?? said.cancelledAt ?? null,
  }
}

/** Returns the known facts with those that are missing. */
function filledIn(known: Payout, said: ReportedPayout): PayoutFacts {
  return {
    totalAmount: known.totalAmount ?? said.totalAmount,
    currency: known.currency ?? said.currency,
    methodCode: known.methodCode ?? said.methodCode,
    description: known.description ?? said.description,
    externalId: known.externalId ?? said.externalId,
    scheduledAt: known.scheduledAt ?? said.scheduledAt,
    errorCode: known.errorCode,
    errorMessage: known.errorMessage,
    transactions: fillTransactions(known.transactions, said.transactions),
    cancelledAt: known.cancelledAt,
  }
}

/** Returns all transactions, the known ones first, each with what the report says of it. */
function mergeTransactions(
  known: readonly PayoutTransaction[],
  said: readonly PayoutTransaction[],
): readonly PayoutTransaction[] {
  const reported = new Map(said.map((transaction) => [transaction.id, transaction]))
  const ids = new Set(known.map(({ id }) => id))
  const merged = known.map((transaction) => mergeTransaction(transaction, reported.get(transaction.id)))
  return [...merged, ...said.filter(({ id }) => !ids.has(id))]
}

function mergeTransaction(known: PayoutTransaction, said: PayoutTransaction | undefined): PayoutTransaction {
  if (said === undefined) return known
  const hasEnded = said.statusRaw !== null && said.statusRaw !== known.statusRaw
  return {
    id: known.id,
    amount: newerDecimal(known.amount, said.amount),
    statusRaw: said.statusRaw ?? known.statusRaw,
    errorMessage: said.errorMessage ?? (hasEnded ? null : known.errorMessage),
    createdAt: known.createdAt ?? said.createdAt,
  }
}

/** Returns the known transactions with their missing values and the missing transactions. */
function fillTransactions(
  known: readonly PayoutTransaction[],
  said: readonly PayoutTransaction[],
): readonly PayoutTransaction[] {
  const filled = known.map((transaction) => {
    const reported = said.find(({ id }) => id === transaction.id)
    return reported === undefined ? transaction : mergeTransaction(reported, transaction)
  })
  return mergeTransactions(
    filled,
    said.filter(({ id }) => filled.every((transaction) => transaction.id !== id)),
  )
}

/** Returns the new amount, in the known spelling if it is the same. */
function newerDecimal(known: string | null, said: string | null): string | null {
  return said === null || (known !== null && compareDecimals(known, said) === 0) ? known : said
}

function sameFacts(state: PayoutFacts, facts: PayoutFacts): boolean {
  const [before, now] = [state.transactions, facts.transactions]
  return (
    PLAIN_KEYS.every((key) => state[key] === facts[key]) &&
    before.length === now.length &&
    before.every((transaction, index) => TRANSACTION_KEYS.every((key) => transaction[key] === now[index]?.[key]))
  )
}

/** Returns whether a known value would be replaced by another, in the batch or in one of its transactions, which are in the same order. */
function replaces(state: PayoutFacts, facts: PayoutFacts): boolean {
  const isReplaced = (a: string | null, b: string | null | undefined): boolean => a !== null && a !== b
  return (
    PLAIN_KEYS.some((key) => isReplaced(state[key], facts[key])) ||
    state.transactions.some((transaction, index) =>
      TRANSACTION_KEYS.some((key) => isReplaced(transaction[key], facts.transactions[index]?.[key])),
    )
  )
}

const PLAIN_KEYS = [
  'totalAmount',
  'currency',
  'methodCode',
  'description',
  'externalId',
  'scheduledAt',
  'errorCode',
  'errorMessage',
  'cancelledAt',
] as const satisfies readonly (keyof PayoutFacts)[]
const TRANSACTION_KEYS = ['id', 'amount', 'statusRaw', 'errorMessage', 'createdAt'] as const
