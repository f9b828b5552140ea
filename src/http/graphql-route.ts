import { HeaderMap, type ApolloServer, type HTTPGraphQLResponse } from '@apollo/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import type { Caller } from '../access/caller.ts'
import type { OperationLimits } from '../config.ts'
import type { OperationGate, PreparedOperation } from '../graphql/admission/admission.ts'
import type { OperationRequest, ReadRequest } from '../graphql/admission/read-request.ts'
import type { Context } from '../graphql/context.ts'
import { tookTooLong } from '../graphql/deadline.ts'
import { withDocument } from '../graphql/engine/apollo.ts'
import { badRequest, type ErrorFormatter } from '../graphql/errors.ts'
import { within } from '../within.ts'
import { entityTag, hasAlready } from './entity-tag.ts'
import { GRAPHQL_PATH } from './graphql-addresses.ts'
import { requestIn } from './graphql-body.ts'
import { refusal, refusals, refuse, Refused } from './graphql-refusals.ts'
import { asksForPage, type Pages } from './pages.ts'

export type GraphqlRouteOptions = {
  /** The explorer for whoever comes with a browser; null where there is none. */
  readonly explorer: Pages | null
  readonly apollo: ApolloServer<Context>
  readonly prepare: OperationGate['prepare']
  readonly formatError: ErrorFormatter
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  readonly contextFor: (caller: Caller, request: FastifyRequest) => Context
  readonly isDraining: () => boolean
  readonly limits: OperationLimits
  /** Answers a subscription in the way that its request asks for, and tells whether there is one. */
  readonly subscribe: (subscription: HttpSubscription) => boolean
}

/** A subscription that came over HTTP and has passed the gate. */
export type HttpSubscription = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly context: Context
  readonly operation: OperationRequest
  readonly prepared: PreparedOperation
}

/** Seconds after which a client that was turned away should come again. */
const RETRY_AFTER_S = 5
const DRAINING = 'This process is about to stop: try again.'

/**
 * GraphQL over HTTP: POST, and GET for queries. Operations pass the gate of all transports first; then Apollo Server runs
 * them and holds the specification.
 */
export function addGraphqlRoute(app: FastifyInstance, options: GraphqlRouteOptions): void {
  const { apollo, authenticate, contextFor, limits, formatError, isDraining, explorer } = options

  app.register(async (scope) => {
    // Any page may send these without asking first.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.route({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      exposeHeadRoute: false,
      bodyLimit: limits.bodyBytes,
      onRequest: (_request, reply, done) => {
        if (isDraining())
          refuse(reply.header('retry-after', RETRY_AFTER_S), [refusal(DRAINING, 'UNAVAILABLE', 503)], formatError)
        else done()
      },
      handler: async (request, reply) => {
        if (explorer !== null && asksForPage(request) && request.url === GRAPHQL_PATH)
          return explorer.send(reply, 'explorer')
        reply.header('cache-control', 'private, no-store')
        try {
          const { method } = request
          const caller = await authenticate(request)
          const context = contextFor(caller, request)
          const { operation, prepared } = admitted(options, request, context)
          if (prepared.operation.operation === OperationTypeNode.SUBSCRIPTION) {
            if (options.subscribe({ request, reply, context, operation, prepared })) return reply
            throw badRequest('Subscriptions run over WebSocket, or as server-sent events.')
          }
          const response = withDocument(prepared.document, () =>
            apollo.executeHTTPGraphQLRequest({
              httpGraphQLRequest: { method, headers: headersOf(request, context), ...asked(method, prepared.request) },
              context: async () => context,
            }),
          )
          const answer = await within(response, limits.timeoutMs, () => null)
          return answer === null ? refuse(reply, [tookTooLong()], formatError) : await send(reply, answer)
        } catch (error) {
          // What follows on the connection may be the body that was meant.
          if (request.method === 'POST' && !request.body) reply.header('connection', 'close')
          return refuse(reply, refusals(error), formatError)
        }
      },
    })
  })
}

/** The operation that a request asks for, as it asks and as it may run. Throws `Refused`, or a GraphQLError, when it may not. */
function admitted({ prepare }: Pick<GraphqlRouteOptions, 'prepare'>, request: FastifyRequest, context: Context) {
  const operation = requestIn(request)
  const prepared = prepare(operation, context)
  if (!('document' in prepared)) throw new Refused(prepared)
  return { operation, prepared }
}

/** What passed the gate, as a request: whatever else stood in the client's own is not read a second time. */
function asked(method: string, { query, operationName, variables }: ReadRequest) {
  if (method !== 'GET') return { search: '', body: { query, operationName, variables } }
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
  if (operationName !== null) search.set('operationName', operationName)
  return { search: `?${search.toString()}`, body: undefined }
}

/** Asks for a trace of the execution, whose answer tells how long each field took. */
const TRACE_HEADER = 'apollo-federation-include-trace'

function headersOf(request: FastifyRequest, { fromRouter }: Context): HeaderMap {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  if (!fromRouter) headers.delete(TRACE_HEADER)
  return headers
}

async function send(reply: FastifyReply, { status, headers, body }: HTTPGraphQLResponse): Promise<FastifyReply> {
  for (const [name, value] of headers) if (name !== 'cache-control') reply.header(name, value)
  reply.code(status ?? 200)
  if (body.kind === 'complete') return sendCached(reply, headers.get('cache-control'), body.string)
  const parts: string[] = []
  for await (const part of body.asyncIterator) parts.push(part)
  return reply.send(parts.join(''))
}

/** What is the same for everyone may be kept on the way, and is not sent again to whoever has it. */
function sendCached(reply: FastifyReply, policy: string | undefined, body: string): FastifyReply {
  if (reply.statusCode !== 200 || policy?.startsWith('public') !== true) return reply.send(body)
  reply.header('cache-control', policy).header('vary', ['Accept', reply.getHeader('vary') ?? []].flat().join(', '))
  if (reply.request.method !== 'GET') return reply.send(body)
  const tag = entityTag(body)
  reply.header('etag', tag)
  if (!hasAlready(reply.request.headers['if-none-match'], tag)) return reply.send(body)
  return reply.code(304).removeHeader('content-type').removeHeader('content-length').send()
}
