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
  /** Whether a request has proved to come from the router, which asks for many and answers for none of their tokens. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onRefused: () => void
}

export type FloodGuard = {
  /** The caller of a request, read once; a promise when its token was not verified before. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  readonly onRequest: onRequestHookHandler
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking, once somebody has wanted to know. */
    caller: Caller | Promise<Caller> | null
  }
}

/**
 * Counts GraphQL requests with an invalid token, and answers those of a peer that has sent too many with 429, before their
 * body is read.
 *
 * Nobody is locked out by it: many clients may share one address, such as those of an office or of our own router. A valid
 * token passes, whatever others at its address have sent. One that was valid and has expired is no guess: it is not counted,
 * and answered with 401, so that its client gets another. Each request is judged by its own token, so neither helps to guess
 * others. Both are remembered, and the second look at them costs a digest.
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
        reply.headers({ 'retry-after': failures.retryAfter(), connection: 'close' })
        return void reply.code(429).send(problem(429))
      }
      // The route answers every other failure.
      return void caller.then(() => false, isGuess).then(decide)
    },
  }
}

/** Whether a token was refused that our issuer has never made. */
function isGuess(error: unknown): boolean {
  return error instanceof InvalidTokenError && error.reason === 'invalid'
}
