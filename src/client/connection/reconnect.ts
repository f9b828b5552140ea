import type { PaymentsClientError } from '../errors.ts'
import { spreadMs } from '../request/retry.ts'
import type { ConnectionEnd } from './connection.ts'
import type { Timing } from './timing.ts'

/** How a watch is doing. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline' | 'closed'

/** Why a watch has to open another connection. */
export type AttemptEnd =
  | ConnectionEnd
  /** The stream is to be opened again at once. */
  | { readonly kind: 'gap' | 'resync' | 'renew' }
  /** A better transport can be had, the one of this index. */
  | { readonly kind: 'better'; readonly transport: number }

/** What is remembered from connection to connection. */
export type Attempts = {
  /** Index of the transport to use. */
  readonly transport: number
  /** Tries that failed in a row. */
  readonly failures: number
  /** Connections of this transport in a row that opened and carried nothing. */
  readonly fruitless: number
  /** Tokens that were refused in a row. */
  readonly refusals: number
}

export type Step =
  | { readonly fail: PaymentsClientError }
  | {
      readonly attempts: Attempts
      readonly waitMs: number
      /** What to tell; null when nothing is to be seen of it. */
      readonly connection: 'reconnecting' | 'offline' | null
    }

export type Circumstances = {
  /** How many transports there are. */
  readonly transports: number
  readonly timing: Timing
  /** Whether the connection has carried anything. */
  readonly isFruitful: boolean
  /** Whether there can be another token. */
  readonly mayRenew: boolean
  /** Between 0 and 1. */
  readonly random: number
}

export const NO_ATTEMPTS: Attempts = { transport: 0, failures: 0, fruitless: 0, refusals: 0 }

/** So many fruitless lines in a row, and the transport counts as one that does not work here. */
const FRUITLESS = 3

/** What to do after a connection has ended. */
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
  return comeBack(attempts, end.error, about)
}

/**
 * Whether the connection has made room for a newer one with the same status token. At once it would take the place of another
 * one, which would come back as well: so it counts as a failure whatever it has carried, and in the end the watch polls.
 */
function isCrowdedOut(end: AttemptEnd): boolean {
  return 'error' in end && end.error.code === 'TOO_MANY_OPERATIONS'
}

/** Milliseconds before a try: doubled with each failure, and spread over the upper half. */
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

/** The next transport; and after the last the first, when some time has passed. */
function elsewhere(attempts: Attempts, about: Circumstances): Step {
  const transport = (attempts.transport + 1) % about.transports
  if (transport !== 0) return at({ ...attempts, transport, fruitless: 0 }, 0, 'reconnecting')
  const failures = attempts.failures + 1
  return at({ ...attempts, transport, failures, fruitless: 0 }, backoffMs(failures, about), 'offline')
}

function comeBack(attempts: Attempts, { retryAfterMs }: PaymentsClientError, about: Circumstances): Step {
  const fruitless = attempts.fruitless + (about.isFruitful ? 0 : 1)
  if (retryAfterMs === null && fruitless >= FRUITLESS) return elsewhere(attempts, about)
  const failures = attempts.failures + 1
  const waitMs = Math.max(spreadMs(retryAfterMs ?? 0, about.random), backoffMs(failures, about))
  // The server turns away whoever comes, on whichever way: afterwards the best one is the first to try.
  const transport = retryAfterMs === null ? attempts.transport : 0
  return at({ ...attempts, transport, failures, fruitless }, waitMs, 'reconnecting')
}

function at(attempts: Attempts, waitMs: number, connection: 'reconnecting' | 'offline' | null): Step {
  return { attempts, waitMs, connection }
}
