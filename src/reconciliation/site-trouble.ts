import { UpstreamFault } from '../upstream/upstream-fault.ts'

/** A failed read that concerns its whole site, and not only its subject. */
export type SiteTrouble = {
  readonly kind: 'throttled' | 'out-of-reach' | 'credentials'
  /** Milliseconds for which the payments API asks for a pause; null if it names no time. */
  readonly retryAfterMs: number | null
  /**
   * Whether the failure may be caused by the subject itself: then it counts as a failed read of the subject, which does not stay
   * first in the queue.
   */
  readonly mayBeItsOwn: boolean
}

/** Returns what the error of a read means for the site; null if it concerns the subject alone. */
export function siteTroubleOf(error: unknown): SiteTrouble | null {
  if (!(error instanceof UpstreamFault)) return null
  const { detail } = error
  switch (detail.kind) {
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: millisecondsOf(detail.retryAfterSeconds), mayBeItsOwn: false }
    // A 403 may concern the whole site or one endpoint, as the permissions of its credentials say.
    case 'forbidden':
    case 'credentials':
      return { kind: 'credentials', retryAfterMs: null, mayBeItsOwn: true }
    case 'not-sent':
      // A request stopped by our own validation concerns that request alone; all other causes stop every request of the site.
      return detail.reason === 'invalid-request'
        ? null
        : { kind: 'out-of-reach', retryAfterMs: null, mayBeItsOwn: false }
    case 'unknown':
      return detail.retryAfterSeconds === null
        ? null
        : { kind: 'throttled', retryAfterMs: millisecondsOf(detail.retryAfterSeconds), mayBeItsOwn: true }
    default:
      return null
  }
}

/** Returns whether the payments API answered at all: a refusal is an answer too. */
export function wasAnswered(error: unknown): boolean {
  return error === null || (error instanceof UpstreamFault && (error.kind === 'refused' || error.kind === 'forbidden'))
}

function millisecondsOf(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000
}

/** For how long this process makes no planned read of a site. All times are in milliseconds. */
export type SiteHold = {
  leftMs(): number
  /** Holds the site for a while, which doubles with each failure in a row. */
  failed(kind: keyof typeof HOLDS): void
  answered(): void
}

const HOLDS = {
  'out-of-reach': { firstMs: 5_000, longestMs: 60_000 },
  credentials: { firstMs: 60_000, longestMs: 30 * 60_000 },
}

/** Creates the hold of a site that is out of reach or refuses its credentials; none at first. */
export function createSiteHold(now: () => number): SiteHold {
  let until = Number.NEGATIVE_INFINITY
  let failuresInARow = 0
  return {
    leftMs: () => Math.max(0, until - now()),
    failed(kind) {
      const { firstMs, longestMs } = HOLDS[kind]
      // Reads that were under way together fail together.
      if (until <= now()) failuresInARow += 1
      until = Math.max(until, now() + Math.min(firstMs * 2 ** (failuresInARow - 1), longestMs))
    },
    answered() {
      until = Number.NEGATIVE_INFINITY
      failuresInARow = 0
    },
  }
}
