import type { ReportCountsFragment } from '../generated/graphql.ts'
import { dayText, momentText, timeText } from '../pieces/moments.tsx'
import { type Look, lookOf } from '../pieces/statuses.ts'

type Compared = {
  readonly state: string
  readonly dryRun: boolean
  readonly lists: readonly ReportCountsFragment[]
}

/** Returns what came of a comparison. */
export function resultOf({ state, dryRun, lists }: Compared): Look {
  if (state !== 'DONE') return lookOf('PaymentsJobState', state)
  if (lists.some(({ problem }) => problem === 'CANCELLED')) return lookOf('PaymentImportProblem', 'CANCELLED')
  if (lists.some(({ problem, failed }) => problem !== null || failed > 0))
    return { word: 'Incomplete', glyph: 'fail', tone: 'fault' }
  if (differencesOf(lists) === 0) return { word: 'Equal', glyph: 'done', tone: 'here' }
  const isOpen = dryRun || lists.some(({ absent }) => absent > 0)
  return isOpen
    ? { word: 'Differences', glyph: 'doubt', tone: 'look' }
    : { word: 'Corrected', glyph: 'done', tone: 'here' }
}

/** Returns how many entries are not the same on both sides. */
export function differencesOf(lists: Compared['lists']): number {
  return lists.reduce((sum, { differed, added, absent }) => sum + differed + added + absent, 0)
}

/** Returns what was found, in a few words. */
export function foundText({ lists }: Compared): string {
  const differences = differencesOf(lists)
  if (differences > 0) return `${differences} ${differences === 1 ? 'difference' : 'differences'}`
  const listed = lists.reduce((sum, one) => sum + one.listed, 0)
  return `${listed} ${listed === 1 ? 'entry' : 'entries'}`
}

const DAY_MS = 86_400_000

/** Returns the compared interval: its days in UTC where it has whole ones, otherwise both instants. */
export function daysText({ from, to }: { readonly from: string; readonly to: string }): string {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (start % DAY_MS !== 0 || end % DAY_MS !== 0)
    return `${momentText(start)} to ${dayText(start) === dayText(end) ? timeText(end) : momentText(end)}`
  // A day of UTC is named by its noon, which is on the same day in most time zones.
  const [first, last] = [dayText(start + DAY_MS / 2), dayText(end - DAY_MS / 2)]
  return first === last ? first : `${first} to ${last}`
}
