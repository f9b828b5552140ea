import { type SiteTrouble, siteTroubleOf, wasAnswered } from './site-trouble.ts'

/** How fast one site may be read, and whether it may be read at all. All times are in milliseconds of the timer. */
export type SitePace = {
  /** Time until the rate allows the next read; 0 for now. */
  waitMs(): number
  /** Time for which the payments API asked for a pause; 0 if it did not. No read of any kind is made during it. */
  closedMs(): number
  /** Time for which no planned read is made: never less than `closedMs`. */
  heldMs(): number
  /** Counts a read as sent now, and returns its time. */
  send(): number
  /** Takes back the read that was counted last, because it was not sent. */
  takeBack(): void
  /** Adapts the pace to the result of a read: `error` is null if it was answered. */
  learn(error: unknown, sentAt: number): SiteTrouble | null
}

/** Reads allowed in a burst; the rate then requires the time they are worth, so that the rate holds in every second. */
const BURST = 2
/** Minimum rate of a throttled site, as a share of the full rate. */
const LEAST_SHARE = 1 / 16
/** Share of the full rate that each answer restores: forty answers from nothing to the full rate. */
const RECOVERED_SHARE = 1 / 40

/** The hold doubles with each failure in a row. */
const HOLDS = {
  'out-of-reach': { firstMs: 5_000, longestMs: 60_000 },
  credentials: { firstMs: 60_000, longestMs: 30 * 60_000 },
}

/**
 * The pace of one site: additive increase, multiplicative decrease
 * (https://en.wikipedia.org/wiki/Additive_increase/multiplicative_decrease).
 */
export function createSitePace(now: () => number, perSecond: number): SitePace {
  let rate = perSecond
  let sends: number[] = []
  let halvedAt = Number.NEGATIVE_INFINITY
  let closedUntil = Number.NEGATIVE_INFINITY
  let heldUntil = Number.NEGATIVE_INFINITY
  let troublesInARow = 0

  const left = (until: number) => Math.max(0, until - now())

  const slowDown = (sentAt: number, retryAfterMs: number | null) => {
    // Reads that were in progress together are throttled together: the rate is halved once for them, not several times.
    if (sentAt > halvedAt) {
      rate = Math.max(rate / 2, perSecond * LEAST_SHARE)
      halvedAt = now()
    }
    closedUntil = Math.max(closedUntil, now() + (retryAfterMs ?? 0))
  }

  const hold = (kind: keyof typeof HOLDS) => {
    const { firstMs, longestMs } = HOLDS[kind]
    if (left(heldUntil) === 0) troublesInARow += 1
    heldUntil = Math.max(heldUntil, now() + Math.min(firstMs * 2 ** (troublesInARow - 1), longestMs))
  }

  return {
    waitMs() {
      const before = sends.at(-BURST)
      return before === undefined ? 0 : left(before + (BURST * 1000) / rate)
    },
    closedMs: () => left(closedUntil),
    heldMs: () => left(Math.max(closedUntil, heldUntil)),
    send() {
      // One more than the burst, in case the last is taken back.
      sends = [...sends, now()].slice(-BURST - 1)
      return now()
    },
    takeBack() {
      sends = sends.slice(0, -1)
    },
    learn(error, sentAt) {
      const trouble = siteTroubleOf(error)
      if (trouble !== null) {
        if (trouble.kind === 'throttled') slowDown(sentAt, trouble.retryAfterMs)
        else hold(trouble.kind)
      } else if (wasAnswered(error)) {
        rate = Math.min(perSecond, rate + perSecond * RECOVERED_SHARE)
        troublesInARow = 0
        heldUntil = Number.NEGATIVE_INFINITY
      }
      return trouble
    },
  }
}
