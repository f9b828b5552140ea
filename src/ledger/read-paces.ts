import { FULL_PACE, faster, nextSlot, type ReadPace, slower, withoutSlot, withSlot } from '../domain/reads/read-pace.ts'
import type { Rows } from '../store/rows/rows.ts'
import type { ReadSlot, SlotRequest, ThrottledRead } from '../store/store.ts'

/** Milliseconds. A slot further ahead was taken by a clock that has been set back since, as by the one of a failed server. */
const MOST_AHEAD_MS = 5 * 60_000

/** Takes the next slot of a site, unless it is too far ahead or the site is closed. */
export function takeSlot(rows: Rows, site: string, request: Omit<SlotRequest, 'lease'>): ReadSlot {
  const { now, perSecond, answers, aheadMs } = request
  const stored = faster(paceOf(rows, site), answers)
  const pace = (stored.slots.at(-1) ?? now) > now + MOST_AHEAD_MS ? { ...stored, slots: [] } : stored
  const at = Math.max(Math.ceil(nextSlot(pace, now, perSecond)), pace.closedUntil)
  const taken = pace.closedUntil <= now && at <= now + aheadMs
  if (taken || answers > 0) rows.readPaces.put({ site, ...(taken ? withSlot(pace, at) : pace) })
  return { taken, at, share: pace.share, closedUntil: pace.closedUntil }
}

/** Gives the last slot of a site back; does nothing if another one was taken after it. */
export function releaseSlot(rows: Rows, site: string, at: number): void {
  rows.readPaces.put({ site, ...withoutSlot(paceOf(rows, site), at) })
}

/** Slows a site down. */
export function throttleSite(rows: Rows, site: string, throttled: ThrottledRead): void {
  rows.readPaces.put({ site, ...slower(paceOf(rows, site), throttled) })
}

function paceOf(rows: Rows, site: string): ReadPace {
  return rows.readPaces.first('site', site) ?? FULL_PACE
}
