import { UpstreamFault } from '../upstream/client/upstream-fault.ts'

/** A failed read that tells of its whole site, and not only of what was asked about. */
export type SiteTrouble = {
  readonly kind: 'throttled' | 'out-of-reach' | 'credentials'
  /** Milliseconds for which the payments API asks to be left alone; null where it names no time. */
  readonly retryAfterMs: number | null
  /** The read itself may be to blame as well: it counts as failed, so that it does not stay first in line. */
  readonly mayBeItsOwn: boolean
}

/** What an error of a read tells of the site; null when it tells nothing of it. */
export function siteTroubleOf(error: unknown): SiteTrouble | null {
  if (!(error instanceof UpstreamFault)) return null
  const { detail } = error
  switch (detail.kind) {
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: inMs(detail.retryAfterSeconds), mayBeItsOwn: false }
    case 'credentials':
      return { kind: 'credentials', retryAfterMs: null, mayBeItsOwn: true }
    case 'not-sent':
      // What our own checks stopped concerns that request alone; everything else stops each request of the site.
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

/** Whether the payments API has answered at all: a refusal is an answer too. */
export function wasAnswered(error: unknown): boolean {
  return error === null || (error instanceof UpstreamFault && error.kind === 'refused')
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000
}
