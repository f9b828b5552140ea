/** Entries on a list page of the payments API (gap sheet, sections 5.3 and 10). */
const PAGE = 20
/** Maximum number of neighbours that are fetched as candidates for a page. */
export const NEIGHBOURS = 2 * PAGE
/** The same where payments are dense: the neighbours tell how many entries the list has before those of the page. */
export const DENSE_NEIGHBOURS = 10 * PAGE
/** Payments are dense if so many milliseconds have all neighbours: at ten a second or more, few milliseconds are a page. */
const DENSE_MS = 4_000
/** Entries left free on the page, since the number of payments made within the margin is an estimate. */
const SLACK = 2
/** Place of the subject on its page, from 0. */
const LAST = PAGE - 1 - SLACK
/**
 * How much earlier than our record the payments API may have created an entry, how much later by its clock, and how much earlier
 * it usually is.
 */
const SOONER_MS = 5_000
const LATER_MS = 2_000
const USUALLY_SOONER_MS = 500
/** How much that differs from one payment to the next. */
const JITTER_MS = 250
const SECOND_MS = 1_000
/** Seconds by which an interval may be longer, if its pages then begin at a place that is no worse. */
const LONGER_S = [4, 3, 2, 1, 0]

/** Milliseconds by which the payments API creates an entry earlier than our record of it, found from the pages of a site. */
export type ListLag = number

/** A page of a list that is sorted newest first. */
export type ListPage = {
  readonly from: Date
  readonly to: Date
  /** From 1. */
  readonly page: number
  /** Number of neighbours that it should contain, from the first on. */
  readonly replaced: number
}

/** Returns whether the payments made at these instants, in their order, are too dense to place them without knowing the lag. */
export function isDense(instants: readonly number[]): boolean {
  const [first] = instants
  const last = instants[NEIGHBOURS - 1] ?? instants.at(-1)
  return first !== undefined && last !== undefined && last - first <= DENSE_MS
}

/**
 * Returns the page on which the first payment is the last entry, after those made right after it; null without payments. Entries made
 * within the margin come before them. `instants` are milliseconds since the epoch in the order of creation. Where payments are dense,
 * the page that was read last is not chosen again: it showed that it lacks them.
 */
export function listPage(
  instants: readonly number[],
  { lag, lastRead }: { readonly lag: ListLag | null; readonly lastRead: ListPage | null },
): ListPage | null {
  const [first] = instants
  const last = instants.at(-1)
  if (first === undefined || last === undefined) return null
  if (isDense(instants)) return densePage(instants, lag ?? USUALLY_SOONER_MS, lastRead)
  const inMargin = (instants.length * (LATER_MS + USUALLY_SOONER_MS)) / Math.max(last - first, LATER_MS)
  const page = Math.ceil((inMargin + PAGE / 2) / PAGE)
  const count = Math.max(1, Math.floor(page * PAGE - inMargin) - SLACK)
  const to = instants[count - 1] ?? last
  return { page, from: new Date(first - SOONER_MS), to: new Date(to + LATER_MS), replaced: Math.min(count, PAGE) }
}

/**
 * Counts the entries before the subject instead of estimating them. An interval ends at a whole second, so that the subject may be
 * anywhere on its page: the end is chosen that puts it nearest to the last place.
 */
function densePage(instants: readonly number[], lag: ListLag, lastRead: ListPage | null): ListPage | null {
  const first = instants[0] ?? 0
  const last = instants.at(-1) ?? first
  const earliest = first - lag + JITTER_MS
  const ends = LONGER_S.map((longer) => (Math.ceil(earliest / SECOND_MS) + longer) * SECOND_MS)
  const counted = instants.length < DENSE_NEIGHBOURS ? ends : ends.filter((to) => to + lag <= last)
  const [best] = (counted.length > 0 ? counted : ends.slice(-1))
    .map((to) => pageUntil(instants, { to, lag }))
    .filter(({ to, page }) => page !== lastRead?.page || to.getTime() !== lastRead.to.getTime())
    .toSorted((a, b) => Math.abs(LAST + 1 - a.replaced) - Math.abs(LAST + 1 - b.replaced))
  return best ?? null
}

function pageUntil(instants: readonly number[], { to, lag }: { to: number; lag: ListLag }): ListPage {
  const place = placeOfFirst(instants, to + lag)
  return {
    from: new Date((instants[0] ?? 0) - SOONER_MS),
    to: new Date(to),
    page: Math.floor(place / PAGE) + 1,
    replaced: (place % PAGE) + 1,
  }
}

/** Returns the number of payments made after the first one and until an instant; if not all are known, beyond them at their rate. */
function placeOfFirst(instants: readonly number[], until: number): number {
  const later = instants.filter((at) => at <= until).length - 1
  const unknownMs = instants.length < DENSE_NEIGHBOURS ? 0 : until - (instants.at(-1) ?? until)
  return Math.max(later, 0) + Math.round(Math.max(unknownMs, 0) * rateOf(instants))
}

/** Payments per millisecond. */
function rateOf(instants: readonly number[]): number {
  const span = (instants.at(-1) ?? 0) - (instants[0] ?? 0)
  return instants.length / Math.max(span, 1)
}

type LagEvidence = {
  readonly instants: readonly number[]
  readonly page: ListPage
  /** The lag that the page was chosen by; null for the usual one. */
  readonly lag: ListLag | null
  /** Number of entries on the page. */
  readonly entries: number
  /** Neighbours on the page: their number in the order of creation, and their place on the page, both from 0. */
  readonly places: readonly { readonly order: number; readonly place: number }[]
  /** When the payment of the first entry was made; null if there is none on record. It counts if no neighbour is on the page. */
  readonly firstAt: number | null
}

/** Returns the lag that a page shows; the one that it was chosen by, if it shows none that is possible. */
export function learnedLag({ instants, page: { page, to }, lag, entries, places, firstAt }: LagEvidence): ListLag {
  const chosenBy = lag ?? USUALLY_SOONER_MS
  // The interval ends before the payments, or has fewer entries than were expected: both are so if the lag is shorter.
  if (entries === 0) return Math.max(chosenBy - SECOND_MS, -LATER_MS)
  // Few payments are too far apart to show it.
  if (instants.length < NEIGHBOURS) return chosenBy
  const before = (page - 1) * PAGE
  // The entries before a neighbour are those made after it: the first entry of the list is as many payments after it.
  const firstEntries = places.flatMap(({ order, place }) => {
    const newest = order + before + place
    const [at, next] = [instants[newest], instants[newest + 1]]
    // Where no later payment is known, the interval may have ended long after the first entry.
    return at === undefined || next === undefined ? [] : (at + next) / 2
  })
  const newest = firstEntries.toSorted((a, b) => a - b)[Math.floor(firstEntries.length / 2)]
  const estimated = firstAt === null ? null : firstAt + before / rateOf(instants)
  const shown = (newest ?? estimated ?? NaN) - to.getTime()
  if (!(shown >= -LATER_MS && shown <= SOONER_MS)) return chosenBy
  // The fewer neighbours a page has, the more likely it has those alone that were created unusually soon or late.
  return lag === null || places.length === 0 ? shown : lag + (shown - lag) * Math.min(1, (2 * places.length) / PAGE)
}
