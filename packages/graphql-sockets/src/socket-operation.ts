import { GraphQLError } from 'graphql'
import { MessageType, type SubscribePayload } from 'graphql-ws'
import { nextFrame, nextStart } from './frames.ts'
import type { AnswerReader, AnswerStream, Connection, OperationKind, SocketLimits, SocketParts } from './handlers.ts'
import { CLOSING } from './protocol.ts'

/** The socket of an operation. */
export type OperationSocket = Connection & {
  readonly session: unknown
  readonly parts: SocketParts
  readonly limits: SocketLimits
  /** Sends a message. Returns whether it has left this process; if not, `afterSent` calls back when it has. */
  sendText(text: string): boolean
  /** The same of a frame. */
  sendFrame(frame: Buffer): boolean
  afterSent(then: (error?: Error | null) => void): void
  /** Counts an operation; returns false if there are too many. */
  addOperation(isStream: boolean): boolean
  removeOperation(operation: { readonly id: string }, isStream: boolean | null): void
}

/**
 * One operation of a socket: it is queued, runs, and sends its answers. The next answer of a stream is requested when the last one
 * has left this process (backpressure).
 */
export class SocketOperation implements AnswerReader {
  /** The id that the client gave it, as JSON. */
  readonly id: string
  /** True once it is complete or cancelled: later answers are not sent. */
  isOver = false
  /** Called when it has ended and no longer counts. */
  onEnd: (() => void) | null = null
  readonly #socket: OperationSocket
  #isStream: boolean | null = null
  #stream: AnswerStream | null = null

  constructor(socket: OperationSocket, id: string) {
    this.#socket = socket
    this.id = id
  }

  /** Begins the operation. */
  enter(payload: SubscribePayload, text: string): void {
    // Cancelled while an earlier operation of the same id was ending.
    if (this.isOver) return this.#end()
    this.#run(payload, text).catch((error: unknown) => this.#fault(error))
  }

  /** Cancels the operation: the client completed it, or the socket closed. One that has not begun ends when it could begin. */
  cancel(): void {
    if (this.isOver) return
    this.isOver = true
    if (this.#stream === null) return
    this.#stream.stop()
    this.#end()
  }

  async #run(payload: SubscribePayload, text: string): Promise<void> {
    const { parts, session } = this.#socket
    const outcome = await parts.handlers.run(session, payload, {
      text,
      isWanted: () => !this.isOver,
      admit: (kind) => this.#admit(kind),
    })
    if (this.isOver) {
      if (outcome.kind === 'stream') outcome.stop()
      return this.#end()
    }
    if (outcome.kind === 'refusal')
      return this.#sendLast(
        `{"id":${this.id},"type":"${MessageType.Error}","payload":${JSON.stringify(outcome.errors)}}`,
      )
    if (outcome.kind === 'stream') {
      this.#stream = outcome
      return outcome.pull(this)
    }
    this.#socket.sendText(`${nextStart(this.id)}${outcome.json}}`)
    return this.#complete()
  }

  #admit(kind: OperationKind): GraphQLError | null {
    const isStream = kind === 'subscription'
    if (!this.#socket.addOperation(isStream)) return tooMany(this.#socket.limits.streams)
    this.#isStream = isStream
    return null
  }

  take({ json }: { readonly json: string }): void {
    if (this.isOver) return
    if (this.#socket.sendFrame(nextFrame(this.id, json))) this.#stream?.pull(this)
    else this.#socket.afterSent((error) => this.#onSent(error))
  }

  end(how: 'complete' | 'interrupted'): void {
    if (this.isOver) return
    const { parts, session } = this.#socket
    const closing = how === 'interrupted' ? CLOSING.overload : parts.handlers.closingAtEnd(session)
    if (closing === null) this.#complete()
    else this.#socket.close(...closing)
  }

  #onSent(error: Error | null | undefined): void {
    // A failed write means that the socket is about to close.
    if ((error === undefined || error === null) && !this.isOver) this.#stream?.pull(this)
  }

  #fault(error: unknown): void {
    this.#socket.parts.logger.error({ err: error }, 'an operation of a socket failed')
    this.#socket.close(...CLOSING.failed)
  }

  #complete(): void {
    this.#sendLast(`{"id":${this.id},"type":"${MessageType.Complete}"}`)
  }

  #sendLast(text: string): void {
    this.isOver = true
    if (this.#socket.sendText(text)) this.#end()
    else this.#socket.afterSent(() => this.#end())
  }

  #end(): void {
    this.#socket.removeOperation(this, this.#isStream)
    this.#isStream = null
    this.onEnd?.()
    this.onEnd = null
  }
}

/** Returns the error of an operation beyond the limit of its connection. */
export function tooMany(limit: number): GraphQLError {
  return new GraphQLError(`A socket carries at most ${limit} streams, and as many other operations, at once.`, {
    extensions: { code: 'TOO_MANY_OPERATIONS' },
  })
}
