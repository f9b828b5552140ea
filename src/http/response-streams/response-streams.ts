import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { SocketLimits } from '../../config/limits.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import { createSharedTimer, lookPeriodMs } from '../../lib/timers.ts'
import type { Logger } from '../../observability/logger.ts'
import type { ShareCounts } from '../../redis/shared-counts.ts'
import type { TokenEnds } from '../connections/token-end.ts'
import { httpError, type CarryStream, type StreamRequest } from '../graphql/graphql-response.ts'
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { tokenOf } from '../server/client-caller.ts'
import { RETRY_AFTER_S } from '../server/problem.ts'
import { type Framing, createInterruptionTexts, ResponseStream, type ResponseStreamPeer } from './response-stream.ts'

export type ResponseStreamOptions = {
  readonly engine: Pick<Engine, 'refuse'>
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  /** The address that a request counts against; null if it is shared and not counted. */
  readonly addressOf: (request: IncomingMessage) => string | null
  /** Whether a request is proved to come from the router, whose address is shared by many clients. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly tokenEnds: TokenEnds
  readonly logger: Logger
  readonly clock: () => Date
  /** Shares the limits per address and per subject with other nodes. */
  readonly shareCounts: ShareCounts
  /** Limits for slow peers; the same as those of WebSockets. */
  readonly limits: Pick<SocketLimits, 'keepAliveMs' | 'bufferedMs' | 'perAddress' | 'perSubject'>
}

/** The streams over HTTP: responses with many results, in any framing. */
export type ResponseStreams = {
  /** Number of open streams. */
  readonly count: number
  /** Counts a stream for its address and caller, or returns why it may not begin. */
  reserve(asked: Omit<StreamRequest, 'operation'>, framing: Framing): CarryStream | GraphQLError
  /**
   * Interrupts every stream, including those still being admitted, so that clients reconnect to another process. Resolves when the
   * open ones have ended.
   */
  close(): Promise<void>
}

/** Milliseconds within which peers must read the last result. */
const GOODBYE_MS = 1_500
const FOREIGN = httpError('The request was refused.', 'BAD_REQUEST', 403)
const TOO_MANY = httpError('Too many streams are open.', 'TOO_MANY_OPERATIONS', 429, RETRY_AFTER_S)

/** Creates the streams over HTTP, which share one timer and a limit per address and per subject. */
export function createResponseStreams(options: ResponseStreamOptions): ResponseStreams {
  const { limits, logger, shareCounts } = options
  const addresses = createConcurrencyLimiter(limits.perAddress, shareCounts('http-streams-address', limits.perAddress))
  const subjects = createConcurrencyLimiter(limits.perSubject, shareCounts('http-streams-subject', limits.perSubject))
  const open = new Set<ResponseStream>()
  const { promise: allClosed, resolve: onAllClosed } = Promise.withResolvers<void>()
  let closing = false

  const peerOf = ({ raw, headers }: FastifyRequest, caller: Caller): ResponseStreamPeer | null => {
    const address = options.isRouter(headers) ? null : options.addressOf(raw)
    if (address !== null && !addresses.acquire(address)) return null
    const subject = subjectOf(caller)
    if (subject === null || subjects.acquire(subject))
      return { caller, token: caller.kind === 'anonymous' ? null : tokenOf(raw.headersDistinct), address }
    if (address !== null) addresses.release(address)
    return null
  }
  const onClosed = (stream: ResponseStream) => {
    const subject = subjectOf(stream.caller)
    if (stream.address !== null) addresses.release(stream.address)
    if (subject !== null) subjects.release(subject)
    open.delete(stream)
    if (closing && open.size === 0) onAllClosed()
  }
  const interrupt = (stream: ResponseStream) => {
    stream.interrupt('interrupted')
    setTimeout(() => stream.cut(), GOODBYE_MS).unref()
  }
  const parts = {
    ...options,
    timer: createSharedTimer(lookPeriodMs(limits)),
    interruptions: createInterruptionTexts(options.engine),
    onClosed,
  }

  return {
    get count() {
      return open.size
    },
    reserve({ request, reply, caller }, framing) {
      if (!options.isAllowedOrigin(request.raw)) return FOREIGN
      const peer = peerOf(request, caller)
      if (peer === null) {
        logger.warn({}, 'a stream was refused: too many are open')
        return TOO_MANY
      }
      const stream = new ResponseStream(reply.raw, framing, peer, parts)
      return (outcome) => {
        if (!reply.raw.destroyed) open.add(stream)
        stream.begin(reply, outcome)
        // The drain began while its token was being verified.
        if (closing) interrupt(stream)
      }
    },
    async close() {
      closing = true
      for (const stream of open) interrupt(stream)
      if (open.size > 0) await allClosed
    },
  }
}

function subjectOf(caller: Caller): string | null {
  return caller.kind === 'client' ? caller.identity : null
}
