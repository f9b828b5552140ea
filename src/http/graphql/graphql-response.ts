import type { FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError } from 'graphql'
import { type Caller, InvalidTokenError, TokenKeysUnavailableError } from '../../access/caller.ts'
import type { OperationRequest } from '../../graphql/admission/read-request.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Refusal, Answer, AnswerStream } from '../../graphql/engine/request-outcome.ts'
import { retryAfter } from '../server/problem.ts'
import { responseType } from './negotiation.ts'

/** Returns an error with the HTTP status that goes with it, and the seconds after which a client may retry. */
export function httpError(message: string, code: string, status: number, retryAfterS?: number): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...retryAfter(retryAfterS), http: { status } } })
}

/** Returns the refusal for an error thrown while a request was read; rethrows internal errors. */
export function refusalFor(error: unknown, { refuse }: Pick<Engine, 'refuse'>): Refusal {
  if (error instanceof GraphQLError) return refuse([error])
  if (error instanceof InvalidTokenError) return refuse([httpError(error.message, 'UNAUTHENTICATED', 401)])
  if (error instanceof TokenKeysUnavailableError) return refuse([httpError(error.message, error.code, 503)])
  throw error
}

/** Responds with errors only, in the form and with the status of GraphQL over HTTP. */
export function sendRefusal(reply: FastifyReply, { errors, status, challenge }: Refusal): FastifyReply {
  const { accept, authorization } = reply.request.headers
  if (status === 401) reply.header('www-authenticate', challenge ?? bearerChallenge(authorization))
  if (status === 405) reply.header('allow', 'POST')
  const waitMs = errors[0]?.extensions?.['retryAfterMs']
  if (typeof waitMs === 'number') reply.header('retry-after', waitMs / 1000)
  return reply
    .code(status)
    .type(responseType(accept) ?? 'application/json; charset=utf-8')
    .send(JSON.stringify({ errors }))
}

/** The WWW-Authenticate header of a 401 (RFC 6750, section 3): with an error only if the request had a token. */
function bearerChallenge(authorization: string | undefined): string {
  return /^bearer\b/i.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
}

/** A request over HTTP whose operation is a subscription. */
export type StreamRequest = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly operation: OperationRequest
}

/** Responds to the request with the results of its subscription, or with the one result of a refused subscription. */
export type CarryStream = (outcome: Answer | AnswerStream) => void

/** A way to deliver a subscription over HTTP. */
export type StreamCarrier = {
  /** Whether the request asks for this way of delivery. */
  accepts(asked: Pick<StreamRequest, 'request' | 'operation'>): boolean
  /** Reserves a place before the subscription begins, or returns why it may not begin. */
  reserve(asked: StreamRequest): CarryStream | GraphQLError
}
