import { present, problem, type Problem } from '../field-problems.ts'
import type { ImportPlace, ImportPlan } from './import-plan.ts'
import type { PartReport } from './import-report.ts'

/** A comparison of the payments API's lists with the record, which records what is missing here unless it is a dry run. */
export type PaymentImport = {
  readonly number: number
  readonly plan: ImportPlan
  /** Nothing is recorded but the report. */
  readonly dryRun: boolean
  /** Begun by the daily schedule. */
  readonly daily: boolean
  /** Subject of the caller's token; null if it has none, and for the daily schedule. */
  readonly requestedBy: string | null
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  readonly place: ImportPlace
  /** One for each part of the plan. */
  readonly reports: readonly PartReport[]
  /** Milliseconds since the epoch; null while it is running. */
  readonly doneAt: number | null
}

export type ImportRequest = {
  readonly from: Date
  readonly to: Date
  readonly dryRun: boolean
  /** Ids of sites; all if it is empty or missing. */
  readonly sites?: readonly string[] | null | undefined
}

const DAY_MS = 24 * 3_600_000
/** Longest interval of one import. */
const LONGEST_DAYS = 1_830

/** Returns all problems of a request for an import; empty if it may begin. */
export function importProblems(
  { from, to, sites }: ImportRequest,
  { now, known }: { readonly now: Date; readonly known: ReadonlySet<string> },
): Problem[] {
  const days = (to.getTime() - from.getTime()) / DAY_MS
  return present([
    problem(from >= now ? 'must be in the past' : null, ['from']),
    problem(days <= 0 ? 'must be after from' : null, ['to']),
    problem(days > LONGEST_DAYS ? `must be at most ${LONGEST_DAYS} days after from` : null, ['to']),
    problem(sites?.every((site) => known.has(site)) === false ? 'must be ids of configured sites' : null, ['sites']),
  ])
}

/** Returns the instants of the day (UTC) before the one of an instant. */
export function dayBefore(now: Date): { readonly from: Date; readonly to: Date } {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return { from: new Date(today - DAY_MS), to: new Date(today - 1) }
}
