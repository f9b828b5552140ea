import { present, problem, type Problem } from '../field-problems.ts'
import type { PartReport } from './import-report.ts'

/** The lists of the payments API that an import reads, in this order. */
export const IMPORTED_LISTS = ['LINKS', 'PAYINS', 'AGREEMENTS', 'PAYOUTS'] as const

export type ImportedList = (typeof IMPORTED_LISTS)[number]

/** One list of one site. */
export type ImportPart = { readonly site: string; readonly list: ImportedList }

/** What an import reads: what the payments API has created in an interval. Both instants in milliseconds since the epoch, inclusive. */
export type ImportPlan = { readonly from: number; readonly to: number; readonly parts: readonly ImportPart[] }

/**
 * Where an import continues. LIST: with a page of a list. CHECK: with what is on record here, after an object, and has not been listed.
 * CLEAR: with the removal of its notes.
 */
export type ImportPlace = ListPlace | CheckPlace | { readonly kind: 'CLEAR' }

export type ListPlace = {
  readonly kind: 'LIST'
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
/**
 * Longest interval of one list call: the payments API takes at most a year (gap sheet, section 26), and a page has a lower number in a
 * shorter interval.
 */
const SLICE_MS = 30 * DAY_MS

/** Returns the place at which an import begins. */
export function firstPlace(plan: ImportPlan): ImportPlace {
  return atPart(plan, 0)
}

/** Returns the part that a place belongs to; null for the end of the plan. */
export function partAt({ parts }: ImportPlan, place: ImportPlace): ImportPart | null {
  return place.kind === 'CLEAR' ? null : (parts[place.part] ?? null)
}

/**
 * Returns the interval of a place. Two neighbouring intervals share an instant, because the payments API may compare in whole seconds: what
 * both list is counted once.
 */
export function spanAt({ from, to }: ImportPlan, { slice }: ListPlace): ImportSpan {
  const start = from + slice * SLICE_MS
  return { from: new Date(start), to: new Date(Math.min(start + SLICE_MS, to)) }
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
export function afterCheck(plan: ImportPlan, place: CheckPlace, next: CheckPlace['after']): ImportPlace {
  return next === null ? atPart(plan, place.part + 1) : { ...place, after: next }
}

/** Returns the place after a part whose list cannot be read. */
export function afterPart(plan: ImportPlan, place: ImportPlace): ImportPlace {
  return place.kind === 'CLEAR' ? place : atPart(plan, place.part + 1)
}

/** Returns how much of a plan is done at a place, in whole percent. */
export function progressOf(plan: ImportPlan, place: ImportPlace): number {
  if (place.kind === 'CLEAR') return 100
  const slices = slicesOf(plan)
  const done = place.kind === 'CHECK' ? slices : place.slice + (place.page - 1) / Math.max(place.pages ?? 1, place.page)
  return Math.floor((100 * (place.part + done / slices)) / plan.parts.length)
}

function slicesOf({ from, to }: ImportPlan): number {
  return Math.max(1, Math.ceil((to - from) / SLICE_MS))
}

function atPart({ parts }: ImportPlan, part: number): ImportPlace {
  return part < parts.length ? listAt(part, 0) : { kind: 'CLEAR' }
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
