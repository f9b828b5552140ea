import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { OperationLimits } from '../../config.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Answer } from '../../graphql/engine/request-outcome.ts'
import { badRequest } from '../../graphql/error-formatter.ts'
import { asksForPage, type Pages } from '../pages/pages.ts'
import { RETRY_AFTER_S } from '../server/problem.ts'
import { GRAPHQL_PATH, limitBody, operationIn, readJsonAlone } from './graphql-body.ts'
import {
  type AnswerSender,
  createAnswerSender,
  httpError,
  refusalFor,
  sendRefusal,
  type CarryStream,
  type StreamCarrier,
  responseType,
} from './graphql-response.ts'

export type GraphqlRouteOptions = {
  readonly engine: Engine
  /** The explorer for browsers; null if it is off. */
  readonly explorer: Pages | null
  /** Rejects if the token is not valid. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  /** Whether a request carries the router's secret, or no secret is configured. */
  readonly isFromRouter: (request: FastifyRequest) => boolean
  readonly isDraining: () => boolean
  /** Whether a request carries the router's secret. */
  readonly isRouter: (request: FastifyRequest) => boolean
  readonly limits: Pick<OperationLimits, 'bodyBytes' | 'router'>
  /** The ways to deliver a subscription. The first that accepts a request is used. */
  readonly carriers: readonly StreamCarrier[]
  /** Whether answers that are the same for every caller are compressed. */
  readonly compresses: boolean
}

const DRAINING = httpError('This process is about to stop: try again.', 'UNAVAILABLE', 503, RETRY_AFTER_S)

/**
 * GraphQL over HTTP: POST, and GET for queries. https://graphql.github.io/graphql-over-http/draft/
 */
export function addGraphqlRoute(app: FastifyInstance, options: GraphqlRouteOptions): void {
  const { engine, explorer, isDraining, limits } = options

  app.register(async (scope) => {
    readJsonAlone(scope)
    const runOptions = { ...options, sender: createAnswerSender(options) }
    scope.route({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      exposeHeadRoute: false,
      bodyLimit: Math.max(limits.bodyBytes, limits.router.bytes),
      preParsing: limitBody(limits.bodyBytes, options.isRouter),
      onRequest: (_request, reply, done) => {
        if (isDraining()) sendRefusal(reply, engine.refuse([DRAINING]))
        else done()
      },
      handler: (request, reply) => {
        if (explorer !== null && asksForPage(request) && request.url === GRAPHQL_PATH)
          return explorer.send(reply, 'explorer')
        reply.header('cache-control', 'private, no-store')
        // Once for a request, because it takes a digest.
        const fromRouter = options.isFromRouter(request)
        const recalled = recall(options, request, fromRouter)
        if (recalled === null) return respond(runOptions, { request, reply, fromRouter })
        runOptions.sender.sendRecalled(reply, recalled)
        return undefined
      },
    })
  })
}

/** Returns the recent result of an equal request, if the caller is known without waiting; otherwise null. */
function recall(
  { engine, callerOf }: GraphqlRouteOptions,
  request: FastifyRequest,
  fromRouter: boolean,
): Answer | null {
  if (callerOf(request) instanceof Promise || responseType(request.headers.accept) === null) return null
  if (wantsTrace(request, fromRouter) || crossSiteRefusal(request) !== null) return null
  return engine.recall(requestText(request), fromRouter)
}

type RunOptions = GraphqlRouteOptions & { readonly sender: AnswerSender }

/** `fromRouter`: the result of `isFromRouter`. */
type Asked = { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly fromRouter: boolean }

async function respond(options: RunOptions, asked: Asked): Promise<FastifyReply> {
  const { request, reply } = asked
  try {
    return await runAndSend(options, asked)
  } catch (error) {
    // What follows on the connection may be the rest of the body.
    if (request.method === 'POST' && !request.body) reply.header('connection', 'close')
    return sendRefusal(reply, refusalFor(error, options.engine))
  }
}

async function runAndSend(
  { engine, callerOf, carriers, sender }: RunOptions,
  { request, reply, fromRouter }: Asked,
): Promise<FastifyReply> {
  const caller = await callerOf(request)
  const operation = operationIn(request)
  const carrierOf = () => carriers.find(({ accepts }) => accepts({ request, operation }))
  const crossSite = crossSiteRefusal(request)
  // For a stream the page's origin is checked instead, since an EventSource cannot send other headers.
  if (crossSite !== null && carrierOf() === undefined) throw crossSite
  let carry: CarryStream | null = null
  const outcome = await engine.run(operation, {
    caller,
    fromRouter,
    text: requestText(request),
    wantsTrace: wantsTrace(request, fromRouter),
    resumeAfter: lastEventId(request),
    refuse(kind) {
      if (kind !== 'subscription') return crossSite ?? kindRefusal(kind, request)
      const reserved = carrierOf()?.reserve({ request, reply, caller, operation }) ?? NO_CARRIER
      if (reserved instanceof GraphQLError) return reserved
      carry = reserved
      return null
    },
  })
  if (outcome.kind === 'refusal') return sendRefusal(reply, outcome)
  if (carry !== null) (carry as CarryStream)(outcome)
  else if (outcome.kind === 'answer') sender.send(reply, outcome)
  return reply
}

/** The text by which two requests are compared: a body that is an object, or what begins with the method. */
function requestText({ method, url, body }: FastifyRequest): string {
  if (method !== 'POST' || typeof body !== 'string') return `${method} ${url}`
  // Nearly every body; as it is, because joined texts are copied for each look-up.
  return body.startsWith('{') ? body : `POST ${body}`
}

/** The header that requests a trace of the execution: how long each field took. */
const TRACE_HEADER = 'apollo-federation-include-trace'

function wantsTrace({ headers }: FastifyRequest, fromRouter: boolean): boolean {
  return fromRouter && headers[TRACE_HEADER] === 'ftv1'
}

function kindRefusal(kind: 'query' | 'mutation', { method, headers }: FastifyRequest): GraphQLError | null {
  if (kind === 'mutation' && method === 'GET')
    return httpError('GET requests run queries only.', 'METHOD_NOT_ALLOWED', 405)
  if (responseType(headers.accept) === null)
    return httpError('The accept header takes neither JSON nor GraphQL responses.', 'NOT_ACCEPTABLE', 406)
  return null
}

const NO_CARRIER = badRequest(
  'Subscriptions run over WebSocket, or as server-sent events or parts: see the accept header.',
)

/** The id of the last event that the client has received (WHATWG HTML, section 9.2.4). */
export function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Headers that a page of another origin cannot send without a preflight. */
const PREFLIGHT_HEADERS = ['x-apollo-operation-name', 'apollo-require-preflight'] as const
/** Only a token: a browser sends the credentials of the basic scheme by itself, also for other pages. */
const BEARER = /^bearer /i
/** Content types that such a page can send without one. */
const SIMPLE_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i
const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Refuses a GET that a page of another origin could have sent without a preflight: any page could cause its cost. */
function crossSiteRefusal({ method, headers }: FastifyRequest): GraphQLError | null {
  if (method !== 'GET') return null
  const type = headers['content-type']?.trim()
  const isSimple = type === undefined || SIMPLE_TYPES.test(type)
  const isPreflighted =
    BEARER.test(headers.authorization ?? '') || PREFLIGHT_HEADERS.some((name) => Boolean(headers[name]))
  if (isSimple && !isPreflighted)
    return badRequest(
      `A GET without a token needs one of the headers ${PREFLIGHT_HEADERS.join(' and ')}, or the content-type of JSON.`,
    )
  if (type === undefined || JSON_TYPE.test(type)) return null
  return httpError('The content-type of a GET can only be application/json.', 'BAD_REQUEST', 415)
}
