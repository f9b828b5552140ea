import type { IncomingMessage, ServerResponse } from 'node:http'
import { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { OperationLimits } from '../../config.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Answer } from '../../graphql/engine/request-outcome.ts'
import { badRequest } from '../../graphql/error-formatter.ts'
import { asksForPage } from '../server/accept.ts'
import type { RouterCheck } from '../server/client-caller.ts'
import { type Exchange, GRAPHQL_PATH } from '../server/graphql-exchange.ts'
import { operationIn } from './graphql-body.ts'
import type { GraphqlEntrance } from './graphql-entrance.ts'
import {
  type AnswerSender,
  type AnswerSenderOptions,
  createAnswerSender,
  httpError,
  refusalAnswer,
  refusalFor,
  type CarryStream,
  type StreamCarrier,
  responseType,
} from './graphql-response.ts'

export type GraphqlRouteOptions = Pick<AnswerSenderOptions, 'compresses'> & {
  readonly engine: Engine
  /** Sends the explorer, which a browser's navigation gets; null for none. */
  readonly sendExplorer: ((request: IncomingMessage, response: ServerResponse) => void) | null
  /** Rejects if the token is not valid. */
  readonly callerOf: (exchange: Exchange) => Caller | Promise<Caller>
  /** Whether a request carries the router's secret, or no secret is configured. */
  readonly isFromRouter: RouterCheck
  /** Whether a request carries the router's secret. */
  readonly isRouter: RouterCheck
  readonly limits: Pick<OperationLimits, 'bodyBytes' | 'router'>
  /** The ways to deliver a subscription. The first that accepts a request is used. */
  readonly carriers: readonly StreamCarrier[]
}

/**
 * GraphQL over HTTP: POST, and GET for queries. https://graphql.github.io/graphql-over-http/draft/
 */
export function addGraphqlRoute(entrance: GraphqlEntrance, options: GraphqlRouteOptions): void {
  const { engine, sendExplorer, limits, isFromRouter } = options
  const routerBytes = Math.max(limits.bodyBytes, limits.router.bytes)
  const parts = { ...options, send: entrance.send, sender: createAnswerSender({ ...options, send: entrance.send }) }
  entrance.add(GRAPHQL_PATH, {
    sendPage(request, response) {
      if (sendExplorer === null || request.url !== GRAPHQL_PATH || !asksForPage(request)) return false
      sendExplorer(request, response)
      return true
    },
    maxBytes: (request) => (options.isRouter(request) ? routerBytes : limits.bodyBytes),
    answerAgain(exchange, traced) {
      const recalled = recall(options, exchange)
      if (recalled === null) return false
      traced(() => {
        engine.describeRecalled(recalled)
        parts.sender.sendRecalled(exchange, recalled)
      })
      return true
    },
    answer: (exchange) => respond(parts, { exchange, fromRouter: isFromRouter(exchange.request) }),
  })
}

/** Returns the recent result of an equal request, if the caller is known without waiting; otherwise null. */
function recall({ engine, callerOf, isFromRouter }: GraphqlRouteOptions, exchange: Exchange): Answer | null {
  const { request } = exchange
  const fromRouter = isFromRouter(request)
  if (callerOf(exchange) instanceof Promise || responseType(request.headers.accept) === null) return null
  if (wantsTrace(request, fromRouter) || crossSiteRefusal(request) !== null) return null
  return engine.recall(requestText(exchange), fromRouter)
}

type RunOptions = GraphqlRouteOptions & Pick<GraphqlEntrance, 'send'> & { readonly sender: AnswerSender }

/** `fromRouter`: the result of `isFromRouter`. */
type Asked = { readonly exchange: Exchange; readonly fromRouter: boolean }

async function respond(options: RunOptions, asked: Asked): Promise<void> {
  const { exchange } = asked
  try {
    await runAndSend(options, asked)
  } catch (error) {
    const { request, body } = exchange
    // What follows on the connection may be the body of a request without a length.
    const closes = request.method === 'POST' && !body
    options.send(exchange, { ...refusalAnswer(request, refusalFor(error, options.engine)), closes })
  }
}

async function runAndSend(
  { engine, callerOf, carriers, sender, send }: RunOptions,
  { exchange, fromRouter }: Asked,
): Promise<void> {
  const { request } = exchange
  const caller = await callerOf(exchange)
  const operation = operationIn(exchange)
  const carrierOf = () => carriers.find(({ accepts }) => accepts({ exchange, operation }))
  const crossSite = crossSiteRefusal(request)
  // For a stream the page's origin is checked instead, since an EventSource cannot send other headers.
  if (crossSite !== null && carrierOf() === undefined) throw crossSite
  let carry: CarryStream | null = null
  const outcome = await engine.run(operation, {
    caller,
    fromRouter,
    text: requestText(exchange),
    wantsTrace: wantsTrace(request, fromRouter),
    headers: request.headers,
    resumeAfter: lastEventId(request),
    statusTokens: statusTokensIn(request),
    refuse(kind) {
      const settle = () => exchange.turn?.settle(kind) ?? null
      if (kind !== 'subscription') return crossSite ?? kindRefusal(kind, request) ?? settle()
      const reserved = carrierOf()?.reserve({ exchange, caller, operation }) ?? NO_CARRIER
      if (reserved instanceof GraphQLError) return reserved
      carry = reserved
      return settle()
    },
  })
  if (outcome.kind === 'refusal') return send(exchange, refusalAnswer(request, outcome))
  if (carry !== null) return (carry as CarryStream)(outcome)
  if (outcome.kind === 'answer') sender.send(exchange, outcome)
}

/** The text by which two requests are compared: a body that is an object, or what begins with the method. */
function requestText({ request: { method, url }, body }: Exchange): string {
  if (method !== 'POST' || body === null) return `${method} ${url}`
  // Nearly every body; as it is, because joined texts are copied for each look-up.
  return body.startsWith('{') ? body : `POST ${body}`
}

/** The header that requests a trace of the execution: how long each field took. */
const TRACE_HEADER = 'apollo-federation-include-trace'

function wantsTrace({ headers }: IncomingMessage, fromRouter: boolean): boolean {
  return fromRouter && headers[TRACE_HEADER] === 'ftv1'
}

function kindRefusal(kind: 'query' | 'mutation', { method, headers }: IncomingMessage): GraphQLError | null {
  if (kind === 'mutation' && method === 'GET')
    return httpError('GET requests run queries only.', 'METHOD_NOT_ALLOWED', 405)
  if (responseType(headers.accept) === null)
    return httpError('The accept header allows neither JSON nor GraphQL responses.', 'NOT_ACCEPTABLE', 406)
  return null
}

const NO_CARRIER = badRequest(
  'Subscriptions run over WebSocket, or as server-sent events or parts: see the accept header.',
)

/** Most status tokens that are read from a request. */
const MAX_STATUS_TOKENS = 20

/**
 * Returns the status tokens in the header `payment-status-token`, separated by commas. Routers forward headers to entities, which have no
 * arguments for them.
 */
export function statusTokensIn({ headers }: IncomingMessage): readonly string[] {
  const header = String(headers['payment-status-token'] ?? '')
  return header === '' ? [] : header.split(',', MAX_STATUS_TOKENS).map((token) => token.trim())
}

/** The id of the last event that the client has received (WHATWG HTML, section 9.2.4). */
export function lastEventId({ headers }: IncomingMessage): string | undefined {
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
function crossSiteRefusal({ method, headers }: IncomingMessage): GraphQLError | null {
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
