import type { FastifyReply } from 'fastify'
import { GraphQLError } from 'graphql'
import { InvalidTokenError, TokenKeysUnavailableError } from '../../access/token-errors.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Answer, Refusal } from '../../graphql/engine/request-outcome.ts'
import { retryAfter } from '../server/problem.ts'
import { entityTag, hasAlready } from './entity-tag.ts'
import { responseType } from './media-types.ts'

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

/** Responds with a result. One that is the same for every caller may be cached, and a client that has it gets 304. */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  const { json, status, maxAgeS } = answer
  reply.code(status).type(responseType(reply.request.headers.accept) ?? 'application/json; charset=utf-8')
  return status === 200 && maxAgeS !== null ? sendPublic(reply, { maxAgeS, tag: null, body: json }) : reply.send(json)
}

/** Responds with a result from the cache of recent results, whose bytes are made once. */
export function sendRecalled(reply: FastifyReply, answer: Answer): FastifyReply {
  const known = recalled.get(answer)
  const content = known ?? { maxAgeS: answer.maxAgeS, tag: entityTag(answer.json), body: Buffer.from(answer.json) }
  if (known === undefined) recalled.set(answer, content)
  return sendPublic(reply.code(answer.status).type(responseType(reply.request.headers.accept) ?? ''), content)
}

type PublicContent = {
  readonly maxAgeS: number | null
  /** Null until the first use. */
  readonly tag: string | null
  readonly body: string | Buffer
}

const recalled = new WeakMap<Answer, PublicContent>()

function sendPublic(reply: FastifyReply, { maxAgeS, tag, body }: PublicContent): FastifyReply {
  const { headers, method } = reply.request
  const vary = reply.getHeader('vary')
  reply.header('cache-control', `public, max-age=${maxAgeS}`)
  reply.header('vary', vary === undefined ? 'Accept' : ['Accept', vary].flat().join(', '))
  if (method !== 'GET') return reply.send(body)
  const etag = tag ?? entityTag(String(body))
  reply.header('etag', etag)
  if (!hasAlready(headers['if-none-match'], etag)) return reply.send(body)
  return reply.code(304).removeHeader('content-type').removeHeader('content-length').send()
}

/** The WWW-Authenticate header of a 401 (RFC 6750, section 3): with an error only if the request had a token. */
function bearerChallenge(authorization: string | undefined): string {
  return /^bearer\b/i.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
}
