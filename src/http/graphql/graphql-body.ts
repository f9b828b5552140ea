import { Transform } from 'node:stream'
import {
  errorCodes,
  type FastifyInstance,
  type FastifyRequest,
  type preParsingHookHandler,
  type onRequestHookHandler,
  type onSendHookHandler,
  type preValidationHookHandler,
  type RouteOptions,
} from 'fastify'
import type { OperationRequest } from '../../graphql/admission/read-request.ts'
import { badRequest } from '../../graphql/error-formatter.ts'
import { hasRepeatedKey } from '../../lib/exact-json.ts'

const PARAMETERS: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions', 'documentId'])

/**
 * Makes routes accept only JSON, as text: any page may send the other content types without a preflight. A compressed body is refused with
 * 415, since its size would be known only after it was expanded.
 */
export function readJsonAlone(scope: FastifyInstance): void {
  scope.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim() ?? ''
    if (encoding === '' || encoding.toLowerCase() === 'identity') return done(null, payload)
    // What was not read must not be taken for the next request. RFC 9110, section 12.5.3, for the other header.
    void reply.header('connection', 'close').header('accept-encoding', 'identity')
    return done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE())
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

/**
 * Returns the hook that refuses bodies of more than `maxBytes` with 413, except for requests with the router's secret, which have the
 * limit of the route. A body of unknown length is counted as it arrives. The connection ends, so that the rest of a body is not read
 * as another request.
 */
export function limitBody(maxBytes: number, isRouter: (request: FastifyRequest) => boolean): preParsingHookHandler {
  return (request, reply, payload, done) => {
    const tooLarge = () => {
      void reply.header('connection', 'close')
      return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
    }
    const length = request.headers['content-length']
    if ((length !== undefined && Number(length) <= maxBytes) || isRouter(request)) return done(null, payload)
    if (length !== undefined) return done(tooLarge())
    let received = 0
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, pass) {
        received += chunk.length
        if (received > maxBytes) pass(tooLarge())
        else pass(null, chunk)
      },
    })
    payload.once('error', (error) => counted.destroy(error))
    done(null, payload.pipe(counted))
  }
}

/** Returns the operation of a request: from the query string of a GET, or the body of a POST. Throws a GraphQLError if there is none. */
export function operationIn({ method, url, body }: FastifyRequest): OperationRequest {
  if (method === 'GET') return readSearch(new URL(url, 'http://localhost').searchParams)
  if (typeof body !== 'string') throw badRequest('The body is missing.')
  return readBody(body)
}

/**
 * Reads the body of a POST. Throws a GraphQLError if it is not a JSON object, or if a key is repeated, including within the
 * variables: a proxy that checked the body may have read the other value.
 */
function readBody(text: string): OperationRequest {
  const body = jsonIn('The body', text)
  if (Array.isArray(body)) throw badRequest('Operations are taken one by one, not in batches.')
  if (typeof body !== 'object' || body === null) throw badRequest('The body must be a JSON object.')
  return body
}

/** Reads the query string of a GET. Throws a GraphQLError for a parameter that is repeated or is not valid JSON. */
function readSearch(search: URLSearchParams): OperationRequest {
  const request: Record<string, unknown> = {}
  for (const [name, text] of search) {
    if (!PARAMETERS.has(name)) continue
    if (name in request) throw badRequest(`${name} is given twice.`)
    request[name] = name === 'variables' || name === 'extensions' ? jsonIn(name, text) : text
  }
  return request
}

function jsonIn(name: string, text: string): unknown {
  const json = parsed(text)
  if (hasRepeatedKey(text)) throw badRequest(`${name} has a key twice.`)
  return json
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The request is not valid JSON.')
  }
}

/** Queries, mutations and subscriptions, answered once or with a stream of events. */
export const GRAPHQL_PATH = '/graphql'
export const EVENTS_PATH = '/graphql/stream'

export type GraphqlHooks = {
  readonly onRequest: readonly onRequestHookHandler[]
  readonly preValidation: readonly preValidationHookHandler[]
  readonly onSend: readonly onSendHookHandler[]
}

/** Adds hooks to the GraphQL routes that are added later; they run before a route's own hooks. Other routes do not run them. */
export function addGraphqlHooks(app: FastifyInstance, { onRequest, preValidation, onSend }: GraphqlHooks): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.url !== GRAPHQL_PATH && route.url !== EVENTS_PATH) return
    route.onRequest = [...onRequest, ...[route.onRequest ?? []].flat()]
    route.preValidation = [...preValidation, ...[route.preValidation ?? []].flat()]
    route.onSend = [...onSend, ...[route.onSend ?? []].flat()]
  })
}
