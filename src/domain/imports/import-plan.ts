import { present, problem, type Problem } from '../field-problems.ts'
import type { PartReport } from './import-report.ts'
import type { ImportPart } from './imported-lists.ts'

/** What an import reads: what the payments API has created in an interval. Both instants in milliseconds since the epoch, inclusive. */
export type ImportPlan = { readonly from: number; readonly to: number; readonly parts: readonly ImportPart[] }

/**
 * Where an import is in one of its parts. LIST: at a page of the list. CHECK: at what is on record here, after an object, and has not been
 * listed. DONE: at the end.
 */
export type ImportPlace = ListPlace | CheckPlace | { readonly kind: 'DONE'; readonly part: number }

export type ListPlace = {
  readonly kind: 'LIST'
  /** Its number in the plan. */
  readonly part: number
  readonly slice: number
  /** Starts at 1. */
  readonly page: number
  /** Number of pages of the slice; null until it is known. */
  readonly pages: number | null
  /** Ids of the entries of the page before; null on the first page. A page that repeats them is the end. */
  readonly before: string | null
}

export type CheckPlace = {
  readonly kind: 'CHECK'
  readonly part: number
  /** Keyset cursor: creation in milliseconds since the epoch, and id. Null at the start. */
  readonly after: { readonly at: number; readonly id: string } | null
}

/** An interval of a list, in which the pages are counted. */
export type ImportSpan = { readonly from: Date; readonly to: Date }

const DAY_MS = 24 * 3_600_000

/** Returns the places at which an import begins, one for each part. */
export function firstPlaces({ parts }: ImportPlan): ImportPlace[] {
  return parts.map((_, part) => listAt(part, 0))
}

/** Returns the part that a place belongs to. Throws an `Error` if the plan has none. */
export function partAt({ parts }: ImportPlan, { part }: ImportPlace): ImportPart {
  const found = parts[part]
  if (found === undefined) throw new Error('An import is at a part that it does not have.')
  return found
}

/**
 * Returns the interval of a place. Two neighbouring intervals share an instant, because the payments API may compare in whole seconds: what
 * both list is counted once.
 */
export function spanAt(plan: ImportPlan, { slice }: ListPlace): ImportSpan {
  const start = plan.from + slice * sliceMs(plan)
  return { from: new Date(start), to: new Date(Math.min(start + sliceMs(plan), plan.to)) }
}

/**
 * Longest interval of one list call: a day, so that the oldest day is read first; 30 days if the plan is longer than that. The payments API
 * takes at most a year (gap sheet, section 26), and a page has a lower number in a shorter interval.
 */
function sliceMs({ from, to }: ImportPlan): number {
  return to - from <= 30 * DAY_MS ? DAY_MS : 30 * DAY_MS
}

/** What is known of a page of a list. */
type ReadPage = {
  /** Ids of its entries, also of those that are unreadable. */
  readonly ids: string
  readonly isEmpty: boolean
  /** Null if the payments API does not tell it. */
  readonly totalPages: number | null
}

/** Returns the place after a page. An empty or a repeated page is the last one, whatever number of pages the payments API tells. */
export function afterPage(plan: ImportPlan, place: ListPlace, { ids, isEmpty, totalPages }: ReadPage): ImportPlace {
  const goesOn = !isEmpty && ids !== place.before && (totalPages === null || place.page < totalPages)
  if (goesOn) return { ...place, page: place.page + 1, pages: totalPages, before: ids }
  if (place.slice + 1 < slicesOf(plan)) return listAt(place.part, place.slice + 1)
  return { kind: 'CHECK', part: place.part, after: null }
}

/** Returns the place after objects of ours were looked for in a list; `next` is null if there are no more. */
export function afterCheck(place: CheckPlace, next: CheckPlace['after']): ImportPlace {
  return next === null ? { kind: 'DONE', part: place.part } : { ...place, after: next }
}

/** Returns how much of an import has finished at its places, in whole percent. */
export function progressOf({ plan, places }: Pick<PaymentImport, 'plan' | 'places'>): number {
  const slices = slicesOf(plan)
  const done = places.map((place) => {
    if (place.kind !== 'LIST') return 1
    return (place.slice + (place.page - 1) / Math.max(place.pages ?? 1, place.page)) / slices
  })
  return Math.floor((100 * done.reduce((sum, share) => sum + share, 0)) / Math.max(done.length, 1))
}

function slicesOf(plan: ImportPlan): number {
  return Math.max(1, Math.ceil((plan.to - plan.from) / sliceMs(plan)))
}

function listAt(part: number, slice: number): ListPlace {
  return { kind: 'LIST', part, slice, page: 1, pages: null, before: null }
}

/** A comparison of the payments API's lists with the record, which records what is missing here unless it is a dry run. */
export type PaymentImport = {
  readonly number: number
  readonly plan: ImportPlan
  /** Nothing is recorded but the report. */
  readonly dryRun: boolean
  /** Begun by the schedule: the comparison of a day, or of a gap in which no process ran. */
  readonly daily: boolean
  /** Subject of the caller's token; null if it has none, and for the schedule. */
  readonly requestedBy: string | null
  /** Milliseconds since the epoch. */
  readonly requestedAt: number
  /** One for each part of the plan, in its order. */
  readonly places: readonly ImportPlace[]
  /** The same. */
  readonly reports: readonly PartReport[]
  /** Milliseconds since the epoch; null while it is running. */
  readonly doneAt: number | null
}

/** Returns the number of the import with an id; null if none can have it. */
export function importNumber(id: string): number | null {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null
}

export type ImportRequest = {
  readonly from: Date
  readonly to: Date
  readonly dryRun: boolean
  /** Ids of sites; all if it is empty or missing. */
  readonly sites?: readonly string[] | null | undefined
}

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
