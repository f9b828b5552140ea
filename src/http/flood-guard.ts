import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../access/caller.ts'
import { InvalidTokenError } from '../access/errors.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { isGraphql } from './graphql-addresses.ts'
import { peerName } from './peer.ts'
import { problem } from './problem.ts'

export type FloodGuardOptions = {
  readonly failures: FailedAttempts
  /** Rejects with an `InvalidTokenError` for a token that does not hold. */
  readonly authenticate: (request: IncomingMessage) => Promise<Caller>
  /** Whether a request has proved to come from the router, which asks for many and answers for none of their tokens. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onRefused: () => void
}

/**
 * Counts GraphQL requests with an invalid token, and answers those of a peer that has sent too many with 429, before their
 * body is read. Returns the function by which requests are authenticated.
 *
 * Nobody is locked out by it: many clients may share one address, such as those of an office or of our own router. A valid
 * token passes, whatever others at its address have sent. One that was valid and has expired is no guess: it is not counted,
 * and answered with 401, so that its client gets another. Each request is judged by its own token, so neither helps to guess
 * others. Both are remembered, and the second look at them costs a digest.
 */
export function guardGraphql(app: FastifyInstance, options: FloodGuardOptions) {
  const { failures, isRouter, onRefused } = options

  const authenticate = async (request: FastifyRequest): Promise<Caller> => {
    try {
      return await options.authenticate(request.raw)
    } catch (error) {
      if (isGuess(error) && !isRouter(request.headers)) failures.count(peerName(request.ip))
      throw error
    }
  }

  const isGuessed = async (request: FastifyRequest): Promise<boolean> => {
    try {
      await authenticate(request)
      return false
    } catch (error) {
      // The route answers every other failure.
      return isGuess(error)
    }
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!isGraphql(request) || !failures.tooMany(peerName(request.ip)) || isRouter(request.headers)) return done()
    const decide = (guessed: boolean): void => {
      if (!guessed) return done()
      onRefused()
      reply.headers({ 'retry-after': failures.retryAfter(), connection: 'close' })
      return void reply.code(429).send(problem(429))
    }
    return void isGuessed(request).then(decide, done)
  })
  return authenticate
}

/** Whether a token was refused that our issuer has never made. */
function isGuess(error: unknown): boolean {
  return error instanceof InvalidTokenError && error.reason === 'invalid'
}
