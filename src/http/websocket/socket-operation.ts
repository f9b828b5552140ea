import { GraphQLError } from 'graphql'
import { MessageType, type SubscribePayload, CloseCode } from 'graphql-ws'
import { expired } from '../../access/caller.ts'
import type { OperationKind } from '../../graphql/engine/engine.ts'
import type {
  AnswerReader,
  AnswersEnd,
  AnswerStream,
  Refusal,
  StreamAnswer,
} from '../../graphql/engine/request-outcome.ts'
import { clientKey } from '../overload/admit-graphql.ts'
import { overloadedError, type Turn } from '../overload/overload.ts'
import { nextFrame, nextStart } from './frames.ts'
import type { GraphqlSocket } from './graphql-socket.ts'

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
  readonly #socket: GraphqlSocket
  #isStream: boolean | null = null
  #stream: AnswerStream | null = null

  constructor(socket: GraphqlSocket, id: string) {
    this.#socket = socket
    this.id = id
  }

  /** Queues the operation. */
  enter(payload: SubscribePayload, text: string): void {
    // Cancelled while an earlier operation of the same id was ending.
    if (this.isOver) return this.#end()
    const { parts, caller, peer } = this.#socket
    parts.overload.enter({
      client: clientKey(caller, () => peer),
      bytes: text.length,
      isPatient: true,
      isWanted: () => !this.isOver,
      start: (turn) => void this.#run(payload, turn).catch((error: unknown) => this.#fault(error)),
      refuse: () => (this.isOver ? this.#end() : this.#refuse(parts.engine.refuse([overloadedError()]))),
    })
  }

  /** Cancels the operation: the client completed it, or the socket closed. One that has not begun ends when it could begin. */
  cancel(): void {
    if (this.isOver) return
    this.isOver = true
    if (this.#stream === null) return
    this.#stream.stop()
    this.#end()
  }

  async #run(payload: SubscribePayload, turn: Turn): Promise<void> {
    const { parts, caller, fromRouter } = this.#socket
    const outcome = await parts.engine
      .run(payload, { caller, fromRouter, refuse: (kind) => this.#refusal(kind) ?? turn.settle(kind) })
      // It takes its place until its answer is made, whether the peer reads it or not.
      .finally(turn.end)
    if (this.isOver) {
      if (outcome.kind === 'stream') outcome.stop()
      return this.#end()
    }
    if (outcome.kind === 'refusal') return this.#refuse(outcome)
    if (outcome.kind === 'stream') {
      this.#stream = outcome
      return outcome.pull(this)
    }
    this.#socket.sendText(`${nextStart(this.id)}${outcome.json}}`)
    return this.#complete()
  }

  #refusal(kind: OperationKind): GraphQLError | null {
    const isStream = kind === 'subscription'
    if (!this.#socket.addOperation(isStream)) return tooMany(this.#socket.limits.streams)
    this.#isStream = isStream
    return null
  }

  take({ json }: StreamAnswer): void {
    if (this.isOver) return
    if (this.#socket.sendFrame(nextFrame(this.id, json))) this.#stream?.pull(this)
    else this.#socket.afterSent((error) => this.#onSent(error))
  }

  end(how: AnswersEnd): void {
    if (this.isOver) return
    if (how === 'interrupted') this.#socket.close(...CLOSING.overload)
    // A stream that ends with its token must not look complete: the close code makes the client reconnect for the rest.
    else if (expired(this.#socket.caller, this.#socket.parts.clock().getTime())) this.#socket.onTokenEnd('expired')
    else this.#complete()
  }

  #onSent(error: Error | null | undefined): void {
    // A failed write means that the socket is about to close.
    if ((error === undefined || error === null) && !this.isOver) this.#stream?.pull(this)
  }

  #fault(error: unknown): void {
    this.#socket.parts.logger.error({ err: error }, 'an operation of a socket failed')
    this.#socket.close(...CLOSING.failed)
  }

  #refuse({ errors }: Refusal): void {
    this.#sendLast(`{"id":${this.id},"type":"${MessageType.Error}","payload":${JSON.stringify(errors)}}`)
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

function tooMany(limit: number): GraphQLError {
  return new GraphQLError(`A socket carries at most ${limit} streams, and as many other operations, at once.`, {
    extensions: { code: 'TOO_MANY_OPERATIONS' },
  })
}

/** Close codes and reasons of the server. */
export const CLOSING = {
  duplicate: [CloseCode.SubscriberAlreadyExists, 'Subscriber already exists'],
  expired: [CloseCode.Forbidden, 'Token expired'],
  failed: [CloseCode.InternalServerError, 'Internal server error'],
  flood: [CloseCode.TooManyInitialisationRequests, 'Too many requests'],
  forbidden: [CloseCode.Forbidden, 'Forbidden'],
  greetedTwice: [CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests'],
  longId: [CloseCode.BadRequest, 'The id of an operation has more than 128 bytes'],
  invalid: [CloseCode.BadRequest, 'Invalid message received'],
  notGreeted: [CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout'],
  overload: [1013, 'Try again later'],
  restart: [1012, 'Service restart'],
  subprotocol: [CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable'],
  tooEarly: [CloseCode.Unauthorized, 'Unauthorized'],
  unauthorized: [CloseCode.Unauthorized, 'Token not valid'],
  withdrawn: [CloseCode.Forbidden, 'Token no longer valid'],
} as const satisfies Record<string, readonly [code: number, reason: string]>

/**
 * The subprotocol of subscriptions-transport-ws, which is not served. The library graphql-ws has the subprotocol `graphql-transport-ws`.
 * https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md
 */
export const LEGACY_PROTOCOL = 'graphql-ws'

/** The message with which that protocol refuses a connection. Its clients show the text, where they hide the code of a close frame. */
export const LEGACY_REFUSAL = JSON.stringify({
  type: 'connection_error',
  payload: {
    message:
      'The WebSocket subprotocol graphql-ws (of subscriptions-transport-ws) is not served here: use graphql-transport-ws (of graphql-ws).',
  },
})
