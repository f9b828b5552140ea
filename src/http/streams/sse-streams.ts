import type { IncomingMessage } from 'node:http'
import { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Refusal, StreamAnswer } from '../../graphql/engine/request-outcome.ts'
import { operationIn } from '../graphql/graphql-body.ts'
import type { GraphqlEntrance } from '../graphql/graphql-entrance.ts'
import {
  httpError,
  refusalAnswer,
  refusalFor,
  type CarryStream,
  type StreamCarrier,
} from '../graphql/graphql-response.ts'
import { lastEventId } from '../graphql/graphql-route.ts'
import { namesType, preferredType } from '../server/accept.ts'
import type { RouterCheck } from '../server/client-caller.ts'
import { EVENTS_PATH, type Exchange } from '../server/graphql-exchange.ts'
import { problemAnswer } from '../server/problem.ts'
import type { Framing, ResponseStreams } from './response-streams.ts'

type EventStreamOptions = {
  readonly engine: Engine
  readonly streams: ResponseStreams
  readonly callerOf: (exchange: Exchange) => Caller | Promise<Caller>
  /** Whether a request carries the router's secret, or no secret is configured. */
  readonly isFromRouter: RouterCheck
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  readonly bodyBytes: number
}

/** Serves subscriptions at the GraphQL URL to clients that accept `text/event-stream`. */
export function eventStreamCarrier(streams: ResponseStreams): StreamCarrier {
  return {
    accepts: ({ exchange }) => acceptsEvents(exchange.request),
    reserve: (asked) => streams.reserve(asked, EVENT_FRAMING),
  }
}

/**
 * Operations over server-sent events, in the distinct connections mode of GraphQL over SSE
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md): one stream per request, also for queries and refusals.
 */
export function addEventStreams(entrance: GraphqlEntrance, options: EventStreamOptions): void {
  const { engine, isAllowedOrigin, bodyBytes } = options
  entrance.add(EVENTS_PATH, {
    maxBytes: () => bodyBytes,
    turnAway({ request }) {
      if (!acceptsEvents(request) && !takesAnything(request)) return problemAnswer(406)
      return isAllowedOrigin(request) ? null : problemAnswer(403)
    },
    async answer(exchange) {
      const refuse = (refusal: Refusal) => entrance.send(exchange, refusalAnswer(exchange.request, refusal))
      try {
        await respond(options, exchange, refuse)
      } catch (error) {
        refuse(refusalFor(error, engine))
      }
    },
  })
}

async function respond(
  { engine, streams, callerOf, isFromRouter }: EventStreamOptions,
  exchange: Exchange,
  refuse: (refusal: Refusal) => void,
): Promise<void> {
  const { request } = exchange
  const operation = operationIn(exchange)
  const caller = await callerOf(exchange)
  let reserved: CarryStream | GraphQLError | null = null
  const reserve = (): CarryStream | GraphQLError => streams.reserve({ exchange, caller }, EVENT_FRAMING)
  const outcome = await engine.run(operation, {
    caller,
    fromRouter: isFromRouter(request),
    resumeAfter: lastEventId(request),
    refuse(kind) {
      reserved =
        kind === 'mutation' && request.method === 'GET'
          ? httpError('GET requests run queries only.', 'METHOD_NOT_ALLOWED', 405)
          : reserve()
      return reserved instanceof GraphQLError ? reserved : (exchange.turn?.settle(kind) ?? null)
    },
  })
  // A refusal is sent as a result in the stream: the client does not read the status.
  const carry = (reserved as CarryStream | GraphQLError | null) ?? reserve()
  if (carry instanceof GraphQLError) return refuse(engine.refuse([carry]))
  if (outcome.kind === 'refusal')
    return carry({ kind: 'answer', json: JSON.stringify({ errors: outcome.errors }), status: 200, maxAgeS: null })
  return carry(outcome)
}

function acceptsEvents({ headers }: IncomingMessage): boolean {
  return namesType(headers.accept, 'text/event-stream')
}

/** Whether a POST without this type in its `accept` header takes events too: that of a GET must name it, which any page may send. */
function takesAnything({ method, headers: { accept = '' } }: IncomingMessage): boolean {
  return method === 'POST' && preferredType(accept, ['text/event-stream']) !== null
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
