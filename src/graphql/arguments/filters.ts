import { amountProblem, type Money } from '../../domain/money/money.ts'
import { badArgument } from '../error-formatter.ts'

type WithoutNulls<Filter> = { [Key in keyof Filter]?: Exclude<Filter[Key], null | undefined> }

/** Returns a filter without its null fields, as the store expects it. In GraphQL a client may send null for an unused field. */
export function withoutNulls<Filter extends object>(filter: Filter | null | undefined): WithoutNulls<Filter> {
  const conditions = Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(conditions) as WithoutNulls<Filter>
}

/** The payments API lists at most one year per call (gap sheet, sections 19 and 26). */
const LONGEST_SPAN_MS = 366 * 24 * 3_600_000
const DAY_MS = 24 * 3_600_000

/**
 * Returns the instants and the page of a list by days; `to` is inclusive, up to the last second of that day. Throws `BAD_USER_INPUT`, which
 * names the argument, for a span that runs backwards or is longer than a year, and for a page below 1.
 */
export function daySpan({ from, to, page }: { from: string; to: string; page: number }): {
  from: Date
  to: Date
  page: number
} {
  const first = new Date(from)
  const last = new Date(to)
  if (last < first) throw badArgument('to', 'must not lie before from')
  if (last.getTime() - first.getTime() > LONGEST_SPAN_MS) throw badArgument('to', 'must lie within a year of from')
  if (page < 1) throw badArgument('page', 'must be at least 1')
  return { from: first, to: new Date(last.getTime() + DAY_MS - 1_000), page }
}

/** Returns the amount; throws a BAD_USER_INPUT error if it is invalid, because an invalid amount cannot be compared. */
export function validAmount(amount: Money): Money {
  const problem = amountProblem(amount)
  if (problem !== null) throw badArgument('amount', problem)
  return amount
}
