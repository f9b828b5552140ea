import type { IncomingMessage } from 'node:http'
import { type Caller, InvalidTokenError } from '../../access/caller.ts'
import { type SharedCounts, UNSHARED } from '../../redis/shared-counts.ts'
import type { Exchange } from '../graphql/graphql-body.ts'
import type { CallerReader, RouterCheck } from '../server/client-caller.ts'
import { type HttpAnswer } from '../server/http-answer.ts'
import { problemAnswer } from '../server/problem.ts'

type FloodGuardOptions = {
  readonly failures: FailedAttempts
  readonly callerOf: CallerReader
  /** The name under which a peer is counted. */
  readonly peerOf: (request: IncomingMessage) => string
  /** Whether a request is proved to come from the router, which forwards the tokens of many clients. */
  readonly isRouter: RouterCheck
  readonly onRefused: () => void
}

export type FloodGuard = {
  /** Returns the caller of a request; a promise if its token has to be verified first. */
  readonly callerOf: (exchange: Exchange) => Caller | Promise<Caller>
  /** Returns the refusal of a request with an invalid token of a peer above its limit, null for every other; a promise if the token has to be verified. */
  readonly refusalOf: (exchange: Exchange) => HttpAnswer | null | Promise<HttpAnswer | null>
}

/**
 * Counts GraphQL requests with an invalid token. Above the limit, a peer's invalid requests are answered with 429 before their body
 * is read.
 *
 * Nobody else is locked out, since many clients may share one address, such as those of an office or a router: a valid token is
 * accepted whatever others at its address have sent. An expired token is not an attack: it is not counted, and answered with 401, so
 * that its client gets a new one. Results of verification are cached, so checking the same token again costs one digest.
 */
export function createFloodGuard({ failures, isRouter, peerOf, onRefused, ...options }: FloodGuardOptions): FloodGuard {
  const read = ({ request }: Exchange): Caller | Promise<Caller> => {
    const caller = options.callerOf(request)
    if (!(caller instanceof Promise)) return caller
    return caller.catch((error: unknown) => {
      if (isGuess(error) && !isRouter(request)) failures.count(peerOf(request))
      throw error
    })
  }
  const callerOf = (exchange: Exchange) => (exchange.caller ??= read(exchange))
  const refuse = (): HttpAnswer => {
    onRefused()
    return { ...problemAnswer(429, { retryAfterS: failures.retryAfter() }), closes: true }
  }

  return {
    callerOf,
    refusalOf(exchange) {
      const { request } = exchange
      if (!failures.anyTooMany() || !failures.tooMany(peerOf(request)) || isRouter(request)) return null
      const caller = callerOf(exchange)
      if (!(caller instanceof Promise)) return null
      // Other failures are answered when the request begins.
      return caller.then(
        () => null,
        (error: unknown) => (isGuess(error) ? refuse() : null),
      )
    },
  }
}

/** Returns whether a token was refused because it was never issued: wrong signature, issuer or form. */
export function isGuess(error: unknown): boolean {
  return error instanceof InvalidTokenError && error.reason === 'invalid'
}

/** Counts failed authentications per peer and minute. */
export type FailedAttempts = {
  count(peer: string): void
  /** Whether a peer has exceeded its failures in the current minute. */
  tooMany(peer: string): boolean
  /** Whether any peer has exceeded its failures in the current minute. */
  anyTooMany(): boolean
  /** Whole seconds until the current minute ends. */
  retryAfter(): number
}

type FailedAttemptsOptions = {
  /** Allowed failures per peer and minute. */
  readonly limit: number
  /** A monotonic clock, in milliseconds. */
  readonly clock: () => number
  /** Maximum number of counted peers. */
  readonly capacity?: number
  /** What other nodes have counted in their current minute. */
  readonly shared?: SharedCounts
}

const WINDOW_MS = 60_000
const CAPACITY = 10_000

/**
 * Creates a counter that restarts each minute. Its size is bounded. If it is full, new peers are not counted and old ones are not
 * evicted: an attacker with many addresses must not be able to clear the count of one of them.
 */
export function createFailedAttempts(options: FailedAttemptsOptions): FailedAttempts {
  const { limit, clock, capacity = CAPACITY, shared = UNSHARED } = options
  const failures = new Map<string, number>()
  let most = 0
  let begun = clock()
  const current = () => {
    if (clock() - begun < WINDOW_MS) return failures
    for (const peer of failures.keys()) shared.set(peer, 0)
    failures.clear()
    most = 0
    begun = clock()
    return failures
  }
  return {
    count(peer) {
      const known = current().get(peer)
      if (known === undefined && failures.size >= capacity) return
      const count = (known ?? 0) + 1
      // Other nodes must not count a minute that is over, also if no request comes here any more.
      if (failures.size === 0 && shared !== UNSHARED) setTimeout(current, WINDOW_MS).unref()
      failures.set(peer, count)
      shared.set(peer, count)
      most = Math.max(most, count)
    },
    tooMany: (peer) => (current().get(peer) ?? 0) + shared.others(peer) > limit,
    anyTooMany: () => most + shared.highest() > limit && current().size > 0,
    retryAfter: () => Math.max(1, Math.ceil((begun + WINDOW_MS - clock()) / 1000)),
  }
}

/** Limits the number of concurrent items per holder. */
export type ConcurrencyLimiter = {
  /** Acquires one for the holder. Returns false if the holder already has `limit`. */
  acquire(holder: string): boolean
  /** Releases one that was acquired. */
  release(holder: string): void
}

/**
 * Creates a limiter with `limit` per holder; 0 means no limit. Holders without items take no memory. With `shared`, what a holder has at other
 * nodes counts too.
 */
export function createConcurrencyLimiter(limit: number, shared: SharedCounts = UNSHARED): ConcurrencyLimiter {
  const taken = new Map<string, number>()
  return {
    acquire(holder) {
      const count = taken.get(holder) ?? 0
      if (limit !== 0 && count + shared.others(holder) >= limit) return false
      taken.set(holder, count + 1)
      shared.set(holder, count + 1)
      return true
    },
    release(holder) {
      const left = (taken.get(holder) ?? 0) - 1
      if (left > 0) taken.set(holder, left)
      else taken.delete(holder)
      shared.set(holder, Math.max(left, 0))
    },
  }
}
