import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import type { OperationLimits } from '../../config.ts'
import type { OperationGate } from '../../graphql/admission/admission.ts'
import type { Context } from '../../graphql/context.ts'
import type { ErrorFormatter } from '../../graphql/errors.ts'
import { only, operationResults } from '../../graphql/operation-results.ts'
import type { Logger } from '../../log.ts'
import { tokenOf } from '../client-caller.ts'
import { EVENTS_PATH } from '../graphql-addresses.ts'
import { requestIn } from '../graphql/graphql-body.ts'
import { refusal, refusals, refuse } from '../graphql/graphql-response.ts'
import type { HttpSubscription } from '../graphql/graphql-route.ts'
import { problem } from '../problem.ts'
import { createStreamQuota, type StreamQuotaOptions } from '../stream-quota.ts'
import type { OnTokenEnd } from '../token-end.ts'
import { carryEvents, type EventPeer, type EventStreamLimits } from './carry-events.ts'
import { runEventStream, type EventStreamParts } from './run-event-stream.ts'

export type EventStreamOptions = Pick<StreamQuotaOptions, 'addressOf' | 'isRouter'> & {
  readonly prepare: OperationGate['prepare']
  readonly formatError: ErrorFormatter
  /** The context of whoever sends a request. Rejects when the token does not hold. */
  readonly contextOf: (request: FastifyRequest) => Promise<Context>
  readonly isAllowedOrigin: (request: FastifyRequest['raw']) => boolean
  readonly isDraining: () => boolean
  readonly operationLimits: Pick<OperationLimits, 'bodyBytes' | 'timeoutMs'>
  readonly onTokenEnd: OnTokenEnd
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits: EventStreamLimits
}

export type EventStreams = {
  /** How many are open. */
  readonly count: number
  /** Takes over a subscription that came to the address of queries and may be answered with events. */
  takeOver(subscription: HttpSubscription): boolean
  /**
   * Interrupts every stream, also those that are still being admitted, so that clients come back to a process that runs.
   * Resolves when those that were open have ended.
   */
  close(): Promise<void>
}

/** Seconds after which a client that was turned away should come again. */
const RETRY_AFTER_S = 5
/** How long peers may take to accept the last event, in milliseconds. */
const GOODBYE_MS = 1_500
const TOO_MANY = refusal('Too many streams are open.', 'TOO_MANY_OPERATIONS', 429)

/**
 * Operations over server-sent events, in the distinct connections mode of GraphQL over SSE
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md): one request, one stream, which is the same as over
 * WebSocket. The library's own handler queues whatever a source gives, however slow the reader is, so only its messages are
 * used.
 */
export function addEventStreams(app: FastifyInstance, options: EventStreamOptions): EventStreams {
  const { prepare, formatError, contextOf, operationLimits, logger, clock } = options
  const open = new Map<EventPeer, { readonly interrupt: () => void }>()
  const take = createStreamQuota(options)
  let closing = false

  const stream = (reply: FastifyReply, { caller }: Context, start: EventStreamParts['start']): void => {
    const leave = take(reply.request.raw, caller)
    if (leave === null) {
      logger.warn({}, 'a stream of events was refused: too many are open')
      return void refuse(reply.header('retry-after', RETRY_AFTER_S), [TOO_MANY], formatError)
    }
    const peer = carryEvents(reply, options.limits, () => logger.info({}, 'a stream was cut: its peer does not read'))
    const token = tokenOf(reply.request.raw.headersDistinct)
    const onTokenEnd: EventStreamParts['onTokenEnd'] = (action) => options.onTokenEnd(caller, token, action)
    const interrupt = runEventStream({ peer, caller, onTokenEnd, start, formatError, logger, clock })
    open.set(peer, { interrupt })
    void peer.closed.then(() => open.delete(peer)).then(leave)
    // Its token was being checked when the drain began.
    if (closing) void interruptAll([peer])
  }

  const interruptAll = (peers: readonly EventPeer[]) => {
    for (const peer of peers) open.get(peer)?.interrupt()
    const stragglers = setTimeout(() => peers.forEach((peer) => peer.cut()), GOODBYE_MS)
    return Promise.all(peers.map(({ closed }) => closed)).then(() => clearTimeout(stragglers))
  }

  const run = ({ request, reply, context, prepared }: Omit<HttpSubscription, 'operation'>) => {
    const resumeAfter = request.headers['last-event-id']
    const contextValue = typeof resumeAfter === 'string' && resumeAfter !== '' ? { ...context, resumeAfter } : context
    stream(reply, context, (onFailure) =>
      operationResults(
        { ...prepared, contextValue },
        {
          formatError,
          timeoutMs: operationLimits.timeoutMs,
          onFailure: (error) => {
            logger.error({ err: error }, 'the source of a stream failed')
            onFailure()
          },
        },
      ),
    )
  }

  const turnAway = (request: FastifyRequest, reply: FastifyReply, isShedding: boolean): boolean => {
    const status = options.isAllowedOrigin(request.raw) ? 503 : 403
    if (status === 503 && !isShedding) return false
    if (status === 503) reply.header('retry-after', RETRY_AFTER_S)
    void reply.code(status).send(problem(status))
    return true
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      const operation = requestIn(request)
      const context = await contextOf(request)
      const prepared = prepare(operation, context)
      if ('document' in prepared) {
        if (request.method === 'GET' && prepared.operation.operation === OperationTypeNode.MUTATION)
          return reply.code(405).header('allow', 'POST').send(problem(405))
        run({ request, reply, context, prepared })
      } else {
        const errors = prepared.map((error) => formatError(error.toJSON(), error))
        stream(reply, context, async () => only({ errors }))
      }
      return reply
    } catch (error) {
      return refuse(reply, refusals(error), formatError)
    }
  }

  app.register(async (scope) => {
    // Any page may send the others without asking first.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.route({
      method: ['GET', 'POST'],
      url: EVENTS_PATH,
      exposeHeadRoute: false,
      bodyLimit: operationLimits.bodyBytes,
      onRequest: (request, reply, done) => {
        reply.header('cache-control', 'no-store')
        if (!acceptsEvents(request)) void reply.code(406).send(problem(406))
        else if (!turnAway(request, reply, options.isDraining())) done()
      },
      handler: answer,
    })
  })

  return {
    get count() {
      return open.size
    },
    takeOver(subscription) {
      if (!acceptsEvents(subscription.request)) return false
      const { request, reply } = subscription
      // It was admitted before the drain began, and is interrupted as the streams that are open.
      if (!turnAway(request, reply, !closing && options.isDraining())) run(subscription)
      return true
    },
    async close() {
      closing = true
      await interruptAll([...open.keys()])
    },
  }
}

function acceptsEvents({ headers }: FastifyRequest): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/i.test(headers.accept ?? '')
}
