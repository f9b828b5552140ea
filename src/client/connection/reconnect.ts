import type { PaymentsClientError } from '../client-errors.ts'
import { spreadMs } from '../request/retry-request.ts'
import type { ConnectionEnd } from './connection.ts'
import type { Timing } from './timing.ts'

/** The state of a subscription's connection. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline' | 'closed'

/** Why a watch has to open another connection. */
export type AttemptEnd =
  | ConnectionEnd
  /** The stream must be reopened at once. */
  | { readonly kind: 'gap' | 'resync' | 'renew' }
  /** A better transport is available, at this index. */
  | { readonly kind: 'better'; readonly transport: number }

/** State that is kept between connections. */
export type Attempts = {
  /** Index of the transport to use. */
  readonly transport: number
  /** Consecutive failed attempts. */
  readonly failures: number
  /** Consecutive connections of this transport that opened and delivered nothing. */
  readonly fruitless: number
  /** Consecutive rejected tokens. */
  readonly refusals: number
}

export type Step =
  | { readonly fail: PaymentsClientError }
  | {
      readonly attempts: Attempts
      readonly waitMs: number
      /** The connection state to report; null to report no change. */
      readonly connection: 'reconnecting' | 'offline' | null
    }

export type Circumstances = {
  /** Number of transports. */
  readonly transports: number
  readonly timing: Timing
  /** Whether the connection has delivered anything. */
  readonly isFruitful: boolean
  /** Whether a new token can be requested. */
  readonly mayRenew: boolean
  /** A random number between 0 and 1. */
  readonly random: number
}

export const NO_ATTEMPTS: Attempts = { transport: 0, failures: 0, fruitless: 0, refusals: 0 }

/** After this many consecutive connections without data, the transport counts as not working here. */
const FRUITLESS = 3

/** Returns what to do after a connection has ended. */
export function nextStep(before: Attempts, end: AttemptEnd, circumstances: Circumstances): Step {
  const about = isCrowdedOut(end) ? { ...circumstances, isFruitful: false } : circumstances
  const attempts = about.isFruitful ? { ...NO_ATTEMPTS, transport: before.transport } : before
  if (end.kind === 'better') return at({ ...attempts, transport: end.transport }, 0, null)
  if (!('error' in end)) return again(attempts, about)
  if (end.error.code === 'UNAUTHENTICATED') return withAnotherToken(attempts, end.error, about)
  if (end.kind === 'refused') return { fail: end.error }
  if (end.kind === 'unopened') return elsewhere(attempts, about)
  if (end.kind === 'restarting' && attempts.failures === 0)
    return at({ ...attempts, failures: 1 }, about.timing.restartMs * about.random, 'reconnecting')
  return retryLater(attempts, end.error, about)
}

/**
 * Whether the server closed the connection in favour of a newer one with the same status token. Reconnecting at once would
 * close another connection, which would then reconnect as well. So this counts as a failure even if the connection delivered
 * data, and the subscription finally polls.
 */
function isCrowdedOut(end: AttemptEnd): boolean {
  return 'error' in end && end.error.code === 'TOO_MANY_OPERATIONS'
}

/** Milliseconds before an attempt: doubled with each failure, with jitter over the upper half. */
export function backoffMs(failures: number, { timing, random }: Pick<Circumstances, 'timing' | 'random'>): number {
  const full = Math.min(timing.retryMaxMs, timing.retryMs * 2 ** Math.max(0, failures - 1))
  return full * (0.5 + random / 2)
}

function again(attempts: Attempts, about: Circumstances): Step {
  const failures = attempts.failures + 1
  return at({ ...attempts, failures }, failures === 1 ? 0 : backoffMs(failures, about), null)
}

function withAnotherToken(attempts: Attempts, error: PaymentsClientError, { mayRenew }: Circumstances): Step {
  if (!mayRenew || attempts.refusals > 0) return { fail: error }
  return at({ ...attempts, refusals: 1 }, 0, null)
}

/** Switches to the next transport; after the last one, to the first one after a delay. */
function elsewhere(attempts: Attempts, about: Circumstances): Step {
  const transport = (attempts.transport + 1) % about.transports
  if (transport !== 0) return at({ ...attempts, transport, fruitless: 0 }, 0, 'reconnecting')
  const failures = attempts.failures + 1
  return at({ ...attempts, transport, failures, fruitless: 0 }, backoffMs(failures, about), 'offline')
}

function retryLater(attempts: Attempts, { retryAfterMs }: PaymentsClientError, about: Circumstances): Step {
  const fruitless = attempts.fruitless + (about.isFruitful ? 0 : 1)
  if (retryAfterMs === null && fruitless >= FRUITLESS) return elsewhere(attempts, about)
  const failures = attempts.failures + 1
  const waitMs = Math.max(spreadMs(retryAfterMs ?? 0, about.random), backoffMs(failures, about))
  // The server refuses clients over every transport; after the wait, the best transport is tried first.
  const transport = retryAfterMs === null ? attempts.transport : 0
  return at({ ...attempts, transport, failures, fruitless }, waitMs, 'reconnecting')
}

function at(attempts: Attempts, waitMs: number, connection: 'reconnecting' | 'offline' | null): Step {
  return { attempts, waitMs, connection }
}
