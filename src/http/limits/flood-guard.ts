import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import { InvalidTokenError } from '../../access/token-errors.ts'
import type { CallerReader } from '../server/client-caller.ts'
import { peerName } from '../server/peer-name.ts'
import { problem } from '../server/problem.ts'
import type { FailedAttempts } from './failed-attempts.ts'

export type FloodGuardOptions = {
  readonly failures: FailedAttempts
  readonly callerOf: CallerReader
  /** Whether a request is proved to come from the router, which forwards the tokens of many clients. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onRefused: () => void
}

export type FloodGuard = {
  /** Returns the caller of a request; a promise if its token has to be verified first. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  readonly onRequest: onRequestHookHandler
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Callers by request, so that each is read once. */
    caller: Caller | Promise<Caller> | null
  }
}

/**
 * Counts GraphQL requests with an invalid token. Above the limit, a peer's invalid requests are answered with 429 before their body
 * is read.
 *
 * Nobody else is locked out, since many clients may share one address, such as those of an office or a router: a valid token is
 * accepted whatever others at its address have sent. An expired token is not an attack: it is not counted, and answered with 401, so
 * that its client gets a new one. Results of verification are cached, so checking the same token again costs one digest.
 */
export function createFloodGuard({ failures, isRouter, onRefused, ...options }: FloodGuardOptions): FloodGuard {
  const read = (request: FastifyRequest): Caller | Promise<Caller> => {
    const caller = options.callerOf(request.raw)
    if (!(caller instanceof Promise)) return caller
    return caller.catch((error: unknown) => {
      if (isGuess(error) && !isRouter(request.headers)) failures.count(peerName(request.ip))
      throw error
    })
  }
  const callerOf = (request: FastifyRequest) => (request.caller ??= read(request))

  return {
    callerOf,
    onRequest(request, reply, done) {
      if (!failures.anyTooMany() || !failures.tooMany(peerName(request.ip)) || isRouter(request.headers)) return done()
      const caller = callerOf(request)
      if (!(caller instanceof Promise)) return done()
      const decide = (guessed: boolean): void => {
        if (!guessed) return done()
        onRefused()
        const seconds = failures.retryAfter()
        reply.headers({ 'retry-after': seconds, connection: 'close' })
        return void reply.code(429).send(problem(429, seconds))
      }
      // Other failures are answered by the route.
      return void caller.then(() => false, isGuess).then(decide)
    },
  }
}

/** Whether the token was refused because it was never issued: wrong signature, issuer or form. */
function isGuess(error: unknown): boolean {
  return error instanceof InvalidTokenError && error.reason === 'invalid'
}
