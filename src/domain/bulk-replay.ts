import type { ReplayRefusal } from './delivery.ts'
import type { Disposition } from './payments/payment.ts'

/** A replay of the deliveries that meet a filter, the oldest first. A dry run is the plan: it only tells what would change. */
export type BulkReplay<Filter = unknown> = {
  readonly number: number
  readonly filter: Filter
  readonly dryRun: boolean
  /** Subject of the caller's token; null if it has none. */
  readonly requestedBy: string | null
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  /** Numbers of deliveries: the last one that was looked at, and the last one that is to be. */
  readonly place: number
  readonly last: number
  readonly report: ReplayReport
  readonly cancelled: boolean
  /** Milliseconds since the epoch; null while it is running. */
  readonly doneAt: number | null
}

export type ReplayReport = {
  /** The deliveries that meet the filter, as far as they were looked at. */
  readonly matched: number
  /** Of these, those that changed the state; in a dry run, that would. */
  readonly changed: number
  /** Those that changed nothing. */
  readonly unchanged: number
  /** Those about which a read of the payments API decides. */
  readonly awaitingRead: number
  /** Those that cannot be replayed. */
  readonly refused: number
  /** Those whose replay failed for a mistake of this service. */
  readonly failed: number
  /** The first of those that changed something, await a read, are refused or failed. */
  readonly results: readonly ReplayResult[]
}

/** What became of one delivery. */
export type ReplayResult = {
  readonly deliveryId: string
  /** Null if it was not replayed. */
  readonly before: Disposition | null
  readonly after: Disposition | null
  readonly statusBefore: string | null
  readonly statusAfter: string | null
  /** Why it cannot be replayed; null if it was, or failed. */
  readonly refusal: ReplayRefusal | null
}

/** Results that are kept of a replay. */
const KEPT_RESULTS = 50

/** The report before the first delivery. */
export const NOTHING_REPLAYED: ReplayReport = {
  matched: 0,
  changed: 0,
  unchanged: 0,
  awaitingRead: 0,
  refused: 0,
  failed: 0,
  results: [],
}

/** Returns the report with the result of one more delivery. */
export function withResult(report: ReplayReport, result: ReplayResult): ReplayReport {
  const kind = kindOf(result)
  const isKept = kind !== 'unchanged' && report.results.length < KEPT_RESULTS
  return {
    ...report,
    matched: report.matched + 1,
    [kind]: report[kind] + 1,
    results: isKept ? [...report.results, result] : report.results,
  }
}

function kindOf({ after, refusal }: ReplayResult): 'changed' | 'unchanged' | 'awaitingRead' | 'refused' | 'failed' {
  if (refusal !== null) return 'refused'
  if (after === null) return 'failed'
  if (after === 'APPLIED') return 'changed'
  return after === 'DOUBTFUL' ? 'awaitingRead' : 'unchanged'
}

/** Returns how much of a replay is done, in whole percent. */
export function replayProgress({ place, last, doneAt }: BulkReplay): number {
  return doneAt !== null || last === 0 ? 100 : Math.floor((100 * place) / last)
}
