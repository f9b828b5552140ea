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
 * Counts GraphQL requests whose token does not hold, and answers those of a peer that has sent too many with 429, before
 * their body is read. Gives the function by which requests are authenticated.
 *
 * Nobody is locked out by it: behind one address there may be an office, or our own router. So a token that holds is
 * always let through, whatever others at its address have sent, and only what is refused anyway is refused sooner. A
 * token is looked at twice then; one that holds is remembered, and the second look costs a digest.
 */
export function guardGraphql(app: FastifyInstance, options: FloodGuardOptions) {
  const { failures, isRouter, onRefused } = options

  const authenticate = async (request: FastifyRequest): Promise<Caller> => {
    try {
      return await options.authenticate(request.raw)
    } catch (error) {
      if (error instanceof InvalidTokenError && !isRouter(request.headers)) failures.count(peerName(request.ip))
      throw error
    }
  }

  const holds = async (request: FastifyRequest): Promise<boolean> => {
    try {
      await authenticate(request)
      return true
    } catch (error) {
      // Anything but a refusal tells nothing about the token, and is told by who is asked next.
      return !(error instanceof InvalidTokenError)
    }
  }

  app.addHook('onRequest', async (request, reply) => {
    if (!isGraphql(request) || !failures.tooMany(peerName(request.ip))) return undefined
    if (isRouter(request.headers) || (await holds(request))) return undefined
    onRefused()
    reply.headers({ 'retry-after': failures.retryAfter(), connection: 'close' })
    return reply.code(429).send(problem(429))
  })
  return authenticate
}
