import { FULL_PACE, faster, nextSlot, type ReadPace, slower, withoutSlot, withSlot } from '../domain/reads/read-pace.ts'
import { UpstreamFault } from '../upstream/client/upstream-fault.ts'

/** How fast this process may read one site, and whether it may be read at all. All times are in milliseconds of the timer. */
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
  /** Adopts the pace that all processes share. */
  adopt(shared: { readonly share: number; readonly closedMs: number }): void
}

/** The hold doubles with each failure in a row. */
const HOLDS = {
  'out-of-reach': { firstMs: 5_000, longestMs: 60_000 },
  credentials: { firstMs: 60_000, longestMs: 30 * 60_000 },
}

/** Creates the pace of one site in this process. */
export function createSitePace(now: () => number, perSecond: number): SitePace {
  let pace: ReadPace = FULL_PACE
  let heldUntil = Number.NEGATIVE_INFINITY
  let troublesInARow = 0

  const left = (until: number) => Math.max(0, until - now())

  const hold = (kind: keyof typeof HOLDS) => {
    const { firstMs, longestMs } = HOLDS[kind]
    if (left(heldUntil) === 0) troublesInARow += 1
    heldUntil = Math.max(heldUntil, now() + Math.min(firstMs * 2 ** (troublesInARow - 1), longestMs))
  }

  return {
    waitMs: () => left(nextSlot(pace, now(), perSecond)),
    closedMs: () => left(pace.closedUntil),
    heldMs: () => left(Math.max(pace.closedUntil, heldUntil)),
    send() {
      pace = withSlot(pace, now())
      return now()
    },
    takeBack() {
      pace = withoutSlot(pace, pace.slots.at(-1) ?? 0)
    },
    learn(error, sentAt) {
      const trouble = siteTroubleOf(error)
      if (trouble !== null) {
        if (trouble.kind === 'throttled')
          pace = slower(pace, { sentAt, now: now(), retryAfterMs: trouble.retryAfterMs })
        else hold(trouble.kind)
      } else if (wasAnswered(error)) {
        pace = faster(pace, 1)
        troublesInARow = 0
        heldUntil = Number.NEGATIVE_INFINITY
      }
      return trouble
    },
    adopt: ({ share, closedMs }) => {
      pace = { ...pace, share, closedUntil: Math.max(pace.closedUntil, now() + closedMs) }
    },
  }
}

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
function siteTroubleOf(error: unknown): SiteTrouble | null {
  if (!(error instanceof UpstreamFault)) return null
  const { detail } = error
  switch (detail.kind) {
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: inMs(detail.retryAfterSeconds), mayBeItsOwn: false }
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
        : { kind: 'throttled', retryAfterMs: inMs(detail.retryAfterSeconds), mayBeItsOwn: true }
    default:
      return null
  }
}

/** Returns whether the payments API answered at all: a refusal is an answer too. */
export function wasAnswered(error: unknown): boolean {
  return error === null || (error instanceof UpstreamFault && (error.kind === 'refused' || error.kind === 'forbidden'))
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000
}
