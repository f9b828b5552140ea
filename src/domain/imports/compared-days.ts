const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Days after whose passing a day is compared with the payments API's lists: what webhooks never reported of its payments is found at the next
 * of them. After that nothing is refunded or disputed any more.
 */
const AGES = [1, 7, 30, 90, 180]
/** How much later that is done: the lists of a day may still change right after its end. */
const AFTER_MS = HOUR_MS
/** Days that are older are not compared any more, however late the comparisons are. */
const OLDEST_MS = 365 * DAY_MS

/** What has been compared. All instants are milliseconds since the epoch. */
export type ComparedDays = {
  /** When the first payment or link was recorded here; null if none is. */
  readonly since: number | null
  /** By the start of a day (UTC): when its last comparison was begun. */
  readonly comparedAt: ReadonlyMap<number, number>
}

/**
 * Returns the start of the day (UTC) to compare next, in milliseconds since the epoch; null if none is due. A day whose comparisons are late
 * is due once, so that at most a year of them can wait. First come the days that were never compared, oldest first; then those that are
 * compared for the last time; then the day whose age has grown most since its last comparison, relative to the age that it had then. So if
 * there is too little time, each day has fewer comparisons, but a first and a last one.
 */
export function nextComparedDay(now: number, { since, comparedAt }: ComparedDays): number | null {
  if (since === null) return null
  let next: number | null = null
  let growth = 0
  for (let day = dayOf(Math.max(since, now - OLDEST_MS)); day < now; day += DAY_MS) {
    const age = AGES.findLast((days) => day + days * DAY_MS + AFTER_MS <= now)
    const last = comparedAt.get(day)
    if (age === undefined || (last !== undefined && last >= day + age * DAY_MS + AFTER_MS)) continue
    const grown = growthOf(now - day, { last: last === undefined ? null : last - day, isFinal: age === AGES.at(-1) })
    if (grown <= growth) continue
    next = day
    growth = grown
  }
  return next
}

function growthOf(age: number, { last, isFinal }: { readonly last: number | null; readonly isFinal: boolean }): number {
  if (last === null) return Number.POSITIVE_INFINITY
  return isFinal ? Number.MAX_VALUE : age / Math.max(last, 1)
}

/** Returns the interval of a day that begins at an instant; both ends in milliseconds since the epoch, inclusive. */
export function spanOfDay(day: number): { readonly from: number; readonly to: number } {
  return { from: day, to: day + DAY_MS - 1 }
}

/** Returns the start of the last day (UTC) whose first comparison is due. */
export function lastComparedDay(now: number): number {
  return dayOf(now - AFTER_MS) - DAY_MS
}

/** Returns from when on comparisons are looked at. */
export function comparedSince(now: number): number {
  return dayOf(now - OLDEST_MS)
}

function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS) * DAY_MS
}
