import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { StreamAnswer } from '../../graphql/engine/request-outcome.ts'
import { EVENTS_PATH, operationIn, readJsonAlone } from '../graphql/graphql-body.ts'
import {
  httpError,
  refusalFor,
  sendRefusal,
  type CarryStream,
  type StreamCarrier,
} from '../graphql/graphql-response.ts'
import { lastEventId } from '../graphql/graphql-route.ts'
import type { Framing, ResponseStreams } from '../response-streams/response-streams.ts'
import { problem, RETRY_AFTER_S } from '../server/problem.ts'

type EventStreamOptions = {
  readonly engine: Engine
  readonly streams: ResponseStreams
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  /** Whether a request carries the router's secret, or no secret is configured. */
  readonly isFromRouter: (request: FastifyRequest) => boolean
  readonly isAllowedOrigin: (request: FastifyRequest['raw']) => boolean
  readonly isDraining: () => boolean
  readonly bodyBytes: number
}

/** Serves subscriptions at the GraphQL URL to clients that accept `text/event-stream`. */
export function eventStreamCarrier(streams: ResponseStreams): StreamCarrier {
  return {
    accepts: ({ request }) => acceptsEvents(request),
    reserve: (asked) => streams.reserve(asked, EVENT_FRAMING),
  }
}

/**
 * Operations over server-sent events, in the distinct connections mode of GraphQL over SSE
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md): one stream per request, also for queries and refusals.
 */
export function addEventStreams(app: FastifyInstance, options: EventStreamOptions): void {
  const { engine, streams, isAllowedOrigin, isDraining } = options

  const turnAway = (request: FastifyRequest, reply: FastifyReply): number | null => {
    if (!acceptsEvents(request)) return 406
    if (!isAllowedOrigin(request.raw)) return 403
    if (!isDraining()) return null
    reply.header('retry-after', RETRY_AFTER_S)
    return 503
  }

  app.register(async (scope) => {
    readJsonAlone(scope)
    scope.route({
      method: ['GET', 'POST'],
      url: EVENTS_PATH,
      exposeHeadRoute: false,
      bodyLimit: options.bodyBytes,
      onRequest: (request, reply, done) => {
        reply.header('cache-control', 'no-store')
        const status = turnAway(request, reply)
        if (status === null) done()
        else void reply.code(status).send(problem(status, status === 503 ? RETRY_AFTER_S : undefined))
      },
      handler: async (request, reply) => {
        try {
          return await respond({ ...options, engine, streams }, request, reply)
        } catch (error) {
          return sendRefusal(reply, refusalFor(error, engine))
        }
      },
    })
  })
}

async function respond(
  { engine, streams, callerOf, isFromRouter }: EventStreamOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const operation = operationIn(request)
  const caller = await callerOf(request)
  let reserved: CarryStream | GraphQLError | null = null
  const reserve = (): CarryStream | GraphQLError => streams.reserve({ request, reply, caller }, EVENT_FRAMING)
  const outcome = await engine.run(operation, {
    caller,
    fromRouter: isFromRouter(request),
    resumeAfter: lastEventId(request),
    refuse(kind) {
      reserved =
        kind === 'mutation' && request.method === 'GET'
          ? httpError('GET requests run queries only.', 'METHOD_NOT_ALLOWED', 405)
          : reserve()
      return reserved instanceof GraphQLError ? reserved : null
    },
  })
  // A refusal is sent as a result in the stream: the client does not read the status.
  const carry = (reserved as CarryStream | GraphQLError | null) ?? reserve()
  if (carry instanceof GraphQLError) return sendRefusal(reply, engine.refuse([carry]))
  if (outcome.kind === 'refusal')
    carry({ kind: 'answer', json: JSON.stringify({ errors: outcome.errors }), status: 200, maxAgeS: null })
  else carry(outcome)
  return reply
}

function acceptsEvents({ headers }: FastifyRequest): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(headers.accept ?? '')
}

/** Milliseconds after which a browser's EventSource reconnects. */
const RETRY_MS = 1_000
/**
 * Milliseconds between the last event and the end of the stream: the official client misses an end that arrives while it is
 * processing an event.
 */
const PAUSE_MS = 100

/**
 * Server-sent events (WHATWG HTML, section 9.2) as GraphQL over SSE names them
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). An interrupted stream ends with an error and without the
 * event `complete`, so that clients reconnect for the rest.
 */
export const EVENT_FRAMING: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  // Some browsers open the stream only after its first byte.
  opening: `retry: ${RETRY_MS}\n\n`,
  keepAlive: ': keep-alive\n\n',
  answer: nextEvent,
  completion: 'event: complete\ndata:\n\n',
  interruption: (errors) => nextEvent({ json: `{"errors":${errors}}`, cursor: null }),
  pauseMs: PAUSE_MS,
}

/** The id is the cursor after which the stream can be resumed: a browser that reconnects sends it in Last-Event-ID. */
function nextEvent({ json, cursor }: StreamAnswer): string {
  return `${cursor === null ? '' : `id: ${cursor}\n`}event: next\ndata: ${json}\n\n`
}
