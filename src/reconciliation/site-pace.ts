import { type SiteTrouble, siteTroubleOf, wasAnswered } from './site-trouble.ts'

/** How fast one site may be read, and whether it may be read at all. All times are milliseconds of the timer. */
export type SitePace = {
  /** Until the next read may be sent, as far as the rate goes; 0 for now. */
  waitMs(): number
  /** How long the payments API has asked to be left alone; 0 when it has not. Nothing at all is read before. */
  closedMs(): number
  /** How long no planned read is made: never less than `closedMs`. */
  heldMs(): number
  /** Counts a read as sent now, and gives its instant. */
  send(): number
  /** Takes back a read that was counted last, and then not sent. */
  takeBack(): void
  /** Learns from the end of a read: `error` is null when it was answered. */
  learn(error: unknown, sentAt: number): SiteTrouble | null
}

/** That many at once, and then no more until as much time has passed as they are worth: never more in any second. */
const BURST = 2
/** A sixteenth of the full rate is the least that a throttled site is read. */
const LEAST_SHARE = 1 / 16
/** What each answer gives back of the full rate: forty answers from nothing to all. */
const RECOVERED_SHARE = 1 / 40

/** Each time in a row doubles the wait. */
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
    // Reads that were under way together are throttled together: that is one sign, not several.
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
      // One more than counts, for when the last is taken back.
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
