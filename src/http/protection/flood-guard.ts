import type { IncomingMessage } from 'node:http'
import { type Caller, InvalidTokenError } from '../../access/caller.ts'
import type { FailedAttempts } from '../limits/failed-attempts.ts'
import type { CallerReader, RouterCheck } from '../server/client-caller.ts'
import type { Exchange } from '../server/graphql-exchange.ts'
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
