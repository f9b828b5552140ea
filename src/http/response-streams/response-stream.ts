import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { GraphQLError } from 'graphql'
import { expired, type Caller } from '../../access/caller.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import {
  StreamInterrupted,
  type Answer,
  type AnswerStream,
  type StreamAnswer,
} from '../../graphql/engine/request-outcome.ts'
import type { SharedTimer } from '../../lib/timers.ts'
import type { Logger } from '../../observability/logger.ts'
import type { TokenEndReason, TokenEnds, TokenHolder } from '../connections/token-end.ts'

/** Dependencies that all streams of a process share. */
type ResponseStreamParts = {
  readonly timer: SharedTimer
  readonly tokenEnds: TokenEnds
  readonly interruptions: InterruptionTexts
  readonly limits: { readonly keepAliveMs: number; readonly bufferedMs: number }
  readonly logger: Logger
  readonly clock: () => Date
  /** Called once when the response has closed. */
  readonly onClosed: (stream: ResponseStream) => void
}

export type ResponseStreamPeer = {
  readonly caller: Caller
  readonly token: string | null
  /** The address under which the stream is counted; null if it is not counted. */
  readonly address: string | null
}

/** Emitted by a response when it becomes a stream; from then on it does not count as a waiting request. */
export const STREAM_BEGUN = 'streamBegun'

/**
 * One response with the results of one operation: the next is executed when the previous one has left this process. A peer that
 * reads nothing for too long is disconnected.
 */
export class ResponseStream implements TokenHolder {
  readonly caller: Caller
  readonly token: string | null
  readonly address: string | null
  readonly #parts: ResponseStreamParts
  readonly #framing: Framing
  readonly #response: ServerResponse
  #stream: AnswerStream | null = null
  #isOver = false
  /** Timer calls since the last heartbeat, and since bytes began to be buffered. */
  #sinceKeepAlive = 0
  #sinceProgress = 0

  constructor(response: ServerResponse, framing: Framing, peer: ResponseStreamPeer, parts: ResponseStreamParts) {
    this.caller = peer.caller
    this.token = peer.token
    this.address = peer.address
    this.#response = response
    this.#framing = framing
    this.#parts = parts
    response.once('close', () => this.#close())
  }

  /** Responds with the results of the operation. */
  begin(reply: FastifyReply, outcome: Answer | AnswerStream): void {
    // The framework would write the headers of hooks, such as CORS; here the response is written without it.
    const headers = Object.entries(reply.getHeaders())
    reply.hijack()
    const response = this.#response
    response.emit(STREAM_BEGUN)
    if (outcome.kind === 'stream') this.#stream = outcome
    if (response.destroyed) return this.#endOperation()
    for (const [name, value] of headers) if (value !== undefined) response.setHeader(name, value)
    const { contentType, opening, answer, completion } = this.#framing
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    this.#parts.timer.add(this)
    this.#parts.tokenEnds.watch(this)
    response.write(opening)
    if (outcome.kind === 'stream') return this.#askForNext()
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
      logger.info({}, 'a stream was cut: its peer does not read')
      return this.cut()
    }
    this.#sinceProgress = 0
    this.#sinceKeepAlive += 1
    if (this.#isOver || this.#sinceKeepAlive * timer.periodMs < limits.keepAliveMs) return
    this.#sinceKeepAlive = 0
    this.#response.write(this.#framing.keepAlive)
  }

  #askForNext(): void {
    this.#stream?.next().then(this.#onAnswer, this.#onFailure)
  }

  readonly #onAnswer = ({ value, done }: IteratorResult<StreamAnswer, undefined>) => {
    if (this.#isOver) return
    if (done !== true) this.#response.write(this.#framing.answer(value), this.#onSent)
    else if (expired(this.caller, this.#parts.clock().getTime())) this.interrupt('expired')
    else this.#finish(this.#framing.completion)
  }

  readonly #onFailure = (error: unknown) => {
    if (!(error instanceof StreamInterrupted)) this.#parts.logger.error({ err: error }, 'a stream of answers failed')
    this.interrupt('interrupted')
  }

  readonly #onSent = (error: Error | null | undefined) => {
    // After a failed write the connection closes.
    if (error !== null && error !== undefined) return
    this.#sinceProgress = 0
    if (!this.#isOver) this.#askForNext()
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
    void this.#stream?.return()
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
  interrupted: new GraphQLError('The stream was interrupted: come back after its last item.', {
    extensions: { code: 'UNAVAILABLE' },
  }),
}

/** Returns the errors with which an interrupted stream over HTTP ends, as a JSON list. */
export type InterruptionTexts = Readonly<Record<Interruption, string>>

export function createInterruptionTexts({ refuse }: Pick<Engine, 'refuse'>): InterruptionTexts {
  const text = (reason: Interruption) => JSON.stringify(refuse([ERRORS[reason]]).errors)
  return { expired: text('expired'), withdrawn: text('withdrawn'), interrupted: text('interrupted') }
}
