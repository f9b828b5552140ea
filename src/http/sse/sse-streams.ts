import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import { EVENTS_PATH } from '../graphql/graphql-addresses.ts'
import { operationIn, readJsonAlone } from '../graphql/graphql-body.ts'
import { httpError, refusalFor, sendRefusal } from '../graphql/graphql-response.ts'
import { lastEventId } from '../graphql/graphql-route.ts'
import type { CarryStream, StreamCarrier } from '../graphql/stream-carrier.ts'
import type { ResponseStreams } from '../response-streams/response-streams.ts'
import { problem, RETRY_AFTER_S } from '../server/problem.ts'
import { EVENT_FRAMING } from './event-framing.ts'

export type EventStreamOptions = {
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
