import type { IncomingMessage, ServerResponse } from 'node:http'
import { GraphQLError } from 'graphql'
import { type Caller, expired } from '../../access/caller.ts'
import type { SocketLimits } from '../../config/limits.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type {
  Answer,
  AnswerReader,
  AnswersEnd,
  AnswerStream,
  StreamAnswer,
} from '../../graphql/engine/request-outcome.ts'
import { createSharedTimer, lookPeriodMs, type SharedTimer } from '../../lib/timers.ts'
import type { Logger } from '../../observability/logger.ts'
import type { LimitUse, TurnedAway } from '../../observability/metrics/metrics.ts'
import type { ShareCounts } from '../../redis/shared-counts.ts'
import type { TokenEnds, TokenEndReason, TokenHolder } from '../connections/token-end.ts'
import { httpError, type CarryStream, type StreamRequest } from '../graphql/graphql-response.ts'
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { tokenOf, type RouterCheck } from '../server/client-caller.ts'
import type { Exchange } from '../server/graphql-exchange.ts'
import { type HttpSender } from '../server/http-answer.ts'
import { RETRY_AFTER_S } from '../server/problem.ts'

export type ResponseStreamOptions = {
  readonly engine: Pick<Engine, 'refuse'>
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  readonly headersFor: HttpSender['headersFor']
  /** The address that a request counts against; null if it is shared and not counted. */
  readonly addressOf: (request: IncomingMessage) => string | null
  /** Whether a request is proved to come from the router, whose address is shared by many clients. */
  readonly isRouter: RouterCheck
  readonly tokenEnds: TokenEnds
  readonly onTurnedAway: (reason: TurnedAway) => void
  readonly logger: Logger
  readonly clock: () => Date
  /** Shares the limits per address and per subject with other nodes. */
  readonly shareCounts: ShareCounts
  /** Limits for slow peers; the same as those of WebSockets. */
  readonly limits: Pick<SocketLimits, 'keepAliveMs' | 'bufferedMs' | 'perAddress' | 'perSubject'>
}

/** A proxy that compresses would keep the events until its buffer is full (RFC 9110, section 7.7). */
const STREAMED = 'no-store, no-transform'

/** The streams over HTTP: responses with many results, in any framing. */
export type ResponseStreams = {
  /** Number of open streams. */
  readonly count: number
  /** Returns how much of the limits per address and per caller is used. */
  limits(): Readonly<Record<'streams_per_address' | 'streams_per_caller', LimitUse>>
  /** Counts a stream for its address and caller, or returns why it may not begin. */
  reserve(asked: Omit<StreamRequest, 'operation'>, framing: Framing): CarryStream | GraphQLError
  /**
   * Interrupts every stream, spread over so many milliseconds, and those still being admitted, so that clients reconnect to another
   * process. Resolves when the open ones have ended.
   */
  close(overMs: number): Promise<void>
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

  const peerOf = (request: IncomingMessage, caller: Caller): ResponseStreamPeer | null => {
    const address = options.isRouter(request) ? null : options.addressOf(request)
    if (address !== null && !addresses.acquire(address)) {
      options.onTurnedAway('streams_per_address')
      return null
    }
    const subject = subjectOf(caller)
    if (subject === null || subjects.acquire(subject))
      return { caller, token: caller.kind === 'anonymous' ? null : tokenOf(request.headersDistinct), address }
    if (address !== null) addresses.release(address)
    options.onTurnedAway('streams_per_caller')
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
    limits: () => ({ streams_per_address: addresses.most(), streams_per_caller: subjects.most() }),
    reserve({ exchange, caller }, framing) {
      const { request, response } = exchange
      if (!options.isAllowedOrigin(request)) return FOREIGN
      const peer = peerOf(request, caller)
      if (peer === null) {
        logger.warn({}, 'a stream was refused: too many are open')
        return TOO_MANY
      }
      const stream = new ResponseStream(exchange, framing, peer, parts)
      return (outcome) => {
        if (!response.destroyed) open.add(stream)
        stream.begin(outcome)
        // The drain began while its token was being verified.
        if (closing) interrupt(stream)
      }
    },
    async close(overMs) {
      closing = true
      const betweenMs = overMs / open.size
      for (const [index, stream] of [...open].entries()) setTimeout(interrupt, index * betweenMs, stream).unref()
      if (open.size > 0) await allClosed
    },
  }
}

function subjectOf(caller: Caller): string | null {
  return caller.kind === 'client' ? caller.identity : null
}

/** Dependencies that all streams of a process share. */
type ResponseStreamParts = {
  readonly timer: SharedTimer
  readonly tokenEnds: TokenEnds
  readonly interruptions: InterruptionTexts
  readonly headersFor: HttpSender['headersFor']
  readonly limits: { readonly keepAliveMs: number; readonly bufferedMs: number }
  readonly logger: Logger
  readonly clock: () => Date
  /** Called once when the response has closed. */
  readonly onClosed: (stream: ResponseStream) => void
}

type ResponseStreamPeer = {
  readonly caller: Caller
  readonly token: string | null
  /** The address under which the stream is counted; null if it is not counted. */
  readonly address: string | null
}

/**
 * One response with the results of one operation: the next is executed when the previous one has left this process. A peer that
 * reads nothing for too long is disconnected.
 */
export class ResponseStream implements TokenHolder, AnswerReader {
  readonly caller: Caller
  readonly token: string | null
  readonly address: string | null
  readonly #parts: ResponseStreamParts
  readonly #framing: Framing
  readonly #exchange: Exchange
  readonly #response: ServerResponse
  #stream: AnswerStream | null = null
  #isOver = false
  /** Timer calls since the last heartbeat, and since bytes began to be buffered. */
  #sinceKeepAlive = 0
  #sinceProgress = 0

  constructor(exchange: Exchange, framing: Framing, peer: ResponseStreamPeer, parts: ResponseStreamParts) {
    const { response } = exchange
    this.caller = peer.caller
    this.token = peer.token
    this.address = peer.address
    this.#exchange = exchange
    this.#response = response
    this.#framing = framing
    this.#parts = parts
    response.once('close', () => this.#close())
  }

  /** Responds with the results of the operation. From then on the request does not count as a waiting one. */
  begin(outcome: Answer | AnswerStream): void {
    const response = this.#response
    this.#exchange.turn?.end()
    if (outcome.kind === 'stream') this.#stream = outcome
    if (response.destroyed) return this.#endOperation()
    const { contentType, opening, answer, completion } = this.#framing
    const headers = ['content-type', contentType, 'x-accel-buffering', 'no']
    response.writeHead(200, this.#parts.headersFor(this.#exchange.request, { headers, cacheControl: STREAMED }))
    this.#parts.timer.add(this)
    this.#parts.tokenEnds.watch(this)
    response.write(opening)
    if (outcome.kind === 'stream') return outcome.pull(this)
    response.write(answer({ json: outcome.json, cursor: null }))
    return this.#finish(completion)
  }

  /** Ends the stream as interrupted, so that its client reconnects. */
  interrupt(reason: Interruption): void {
    this.#finish(this.#framing.interruption(this.#parts.interruptions[reason]))
  }

  onTokenEnd(reason: TokenEndReason): void {
    this.interrupt(reason)
  }

  cut(): void {
    this.#response.destroy()
  }

  onTimer(): void {
    const { timer, limits, logger } = this.#parts
    if (this.#response.writableLength > 0) {
      this.#sinceProgress += 1
      if (this.#sinceProgress * timer.periodMs < limits.bufferedMs) return
      logger.info({}, 'a stream was closed: the client does not read')
      return this.cut()
    }
    this.#sinceProgress = 0
    this.#sinceKeepAlive += 1
    if (this.#isOver || this.#sinceKeepAlive * timer.periodMs < limits.keepAliveMs) return
    this.#sinceKeepAlive = 0
    this.#response.write(this.#framing.keepAlive)
  }

  take(answer: StreamAnswer): void {
    if (!this.#isOver) this.#response.write(this.#framing.answer(answer), this.#onSent)
  }

  end(how: AnswersEnd): void {
    if (how === 'interrupted') this.interrupt('interrupted')
    else if (expired(this.caller, this.#parts.clock().getTime())) this.interrupt('expired')
    else this.#finish(this.#framing.completion)
  }

  readonly #onSent = (error: Error | null | undefined) => {
    // After a failed write the connection closes.
    if (error !== null && error !== undefined) return
    this.#sinceProgress = 0
    if (!this.#isOver) this.#stream?.pull(this)
  }

  #finish(last: string): void {
    if (this.#isOver) return
    this.#endOperation()
    const response = this.#response
    response.write(last, () => setTimeout(endResponse, this.#framing.pauseMs, response))
  }

  #endOperation(): void {
    this.#isOver = true
    this.#parts.tokenEnds.unwatch(this)
    this.#stream?.stop()
    this.#stream = null
  }

  #close(): void {
    this.#endOperation()
    this.#parts.timer.delete(this)
    this.#parts.onClosed(this)
  }
}

function endResponse(response: ServerResponse): void {
  response.end()
}

/** How the results of a stream are written into one response. */
export type Framing = {
  readonly contentType: string
  /** Written before the first result. */
  readonly opening: string
  /** The heartbeat of an idle stream. */
  readonly keepAlive: string
  readonly answer: (answer: StreamAnswer) => string
  /** The end of a completed stream. */
  readonly completion: string
  /** The end of an interrupted stream, with its errors as a JSON list. */
  readonly interruption: (errors: string) => string
  /** Milliseconds between the last bytes and the end of the response. */
  readonly pauseMs: number
}

/** Why a stream was interrupted: its token ended, its source failed, or this process stops. */
export type Interruption = TokenEndReason | 'interrupted'

const ERRORS: Readonly<Record<Interruption, GraphQLError>> = {
  expired: new GraphQLError('The token has expired.', { extensions: { code: 'UNAUTHENTICATED' } }),
  withdrawn: new GraphQLError('The token is no longer valid.', { extensions: { code: 'UNAUTHENTICATED' } }),
  interrupted: new GraphQLError('The stream was interrupted: resume it after the last item.', {
    extensions: { code: 'UNAVAILABLE' },
  }),
}

/** Returns the errors with which an interrupted stream over HTTP ends, as a JSON list. */
export type InterruptionTexts = Readonly<Record<Interruption, string>>

export function createInterruptionTexts({ refuse }: Pick<Engine, 'refuse'>): InterruptionTexts {
  const text = (reason: Interruption) => JSON.stringify(refuse([ERRORS[reason]]).errors)
  return { expired: text('expired'), withdrawn: text('withdrawn'), interrupted: text('interrupted') }
}
