import { isUtf8 } from 'node:buffer'
import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, parseMessage, type SubscribeMessage } from 'graphql-ws'
import { WebSocket } from 'ws'
import { PING, textFrame } from './frames.ts'
import type { Connection, SocketLimits, SocketParts } from './handlers.ts'
import { CLOSING, LEGACY_PROTOCOL, LEGACY_REFUSAL, MAX_ID_BYTES } from './protocol.ts'
import { type OperationSocket, SocketOperation } from './socket-operation.ts'
import { takeFromRate } from './take-from-rate.ts'

/** How a connection begins. */
export type Opening = {
  readonly limits: SocketLimits
  /** Returns what the app keeps of the connection. */
  readonly sessionFor: (connection: Connection) => unknown
}

const ACKNOWLEDGEMENT = JSON.stringify({ type: MessageType.ConnectionAck })
const NOTHING = Buffer.alloc(0)
const STAGE = { opened: 0, greeting: 1, greeted: 2 }

/**
 * The server side of `graphql-transport-ws` for one socket
 * (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md). To keep thousands of idle sockets cheap, all state is in the
 * fields of this object, and timers are shared.
 */
export class GraphqlSocket extends WebSocket implements OperationSocket {
  session: unknown = null
  parts!: SocketParts
  limits!: SocketLimits
  #connection!: Duplex
  #stage = STAGE.opened
  #greetingTimer: NodeJS.Timeout | null = null
  #operations: Map<string, SocketOperation> | null = null
  #streams = 0
  #others = 0
  /** Instants at which the token buckets of the peer's rates are full again. */
  #messagesFullAt = 0
  #bytesFullAt = 0
  #operationsFullAt = 0
  /** Timer calls since the last ping, and since the send buffer exceeded its limit. */
  #sincePing = 0
  #sinceFull = 0
  #isAlive = true

  /** Starts the protocol on an upgraded connection. */
  open(connection: Duplex, parts: SocketParts, { limits, sessionFor }: Opening): void {
    this.#connection = connection
    this.parts = parts
    this.limits = limits
    this.session = sessionFor(this)
    this.on('message', onMessage).on('ping', onPing).on('pong', onPong).on('error', onError).on('close', onClose)
    parts.timer.add(this)
    // Spreads the pings of sockets that were opened at the same time.
    this.#sincePing = Math.floor((Math.random() * limits.keepAliveMs) / parts.timer.periodMs)
    if (this.protocol === LEGACY_PROTOCOL) this.sendText(LEGACY_REFUSAL)
    if (this.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) this.close(...CLOSING.subprotocol)
    else this.#greetingTimer = setTimeout(closeUngreeted, limits.initMs, this)
  }

  get isOpen(): boolean {
    return this.readyState === WebSocket.OPEN
  }

  /** As `sendFrame`, for a message. */
  sendText(text: string): boolean {
    return this.sendFrame(textFrame(text))
  }

  /**
   * Sends a frame. Returns whether it has left this process; if not, `afterSent` calls back when it has. Does nothing once the socket is
   * closing. Writing past the library is safe: without compression it never has a partly sent frame.
   */
  sendFrame(frame: Buffer): boolean {
    if (this.readyState !== WebSocket.OPEN) return false
    const connection = this.#connection
    // Without a callback, which Node would call in a tick of its own.
    connection.write(frame)
    return connection.writableLength === 0 && connection.errored === null
  }

  /** Calls back when all that was sent has left this process, or cannot; not once the socket is closing. */
  afterSent(then: (error?: Error | null) => void): void {
    if (this.readyState === WebSocket.OPEN) this.#connection.write(NOTHING, then)
  }

  /** Counts an operation that is about to begin. Returns false if too many of its kind are open. */
  addOperation(isStream: boolean): boolean {
    if ((isStream ? this.#streams : this.#others) >= this.limits.streams) return false
    if (isStream) this.#streams += 1
    else this.#others += 1
    return true
  }

  /** Removes an operation that has ended. `isStream` is null if it was not counted. */
  removeOperation(operation: SocketOperation, isStream: boolean | null): void {
    if (isStream === true) this.#streams -= 1
    if (isStream === false) this.#others -= 1
    if (this.#operations?.get(operation.id) !== operation) return
    this.#operations.delete(operation.id)
    if (this.#operations.size === 0) this.#operations = null
  }

  onTimer(): void {
    if (!this.isOpen) return
    const { limits, parts } = this
    if (this.bufferedAmount > limits.bufferedBytes) {
      if (this.#sinceFull * parts.timer.periodMs >= limits.bufferedMs) return this.#cut('overload')
      this.#sinceFull += 1
    } else {
      this.#sinceFull = 0
      if (this.isPaused) this.resume()
    }
    this.#sincePing += 1
    if (this.#sincePing * parts.timer.periodMs < limits.keepAliveMs) return
    if (!this.#isAlive) return this.#cut('overload')
    this.#sincePing = 0
    this.#isAlive = false
    this.sendFrame(PING)
  }

  onPong(): void {
    this.#isAlive = true
    this.countMessage()
  }

  /** Counts a message, ping or pong. Returns false, and closes the socket, if the peer exceeds its rate. */
  countMessage(): boolean {
    const fullAt = takeFromRate(this.#messagesFullAt, 1, this.limits.messagesPerSecond, performance.now())
    this.#messagesFullAt = fullAt ?? this.#messagesFullAt
    if (fullAt === null) this.#cut('flood')
    return fullAt !== null
  }

  onMessage(data: Buffer, isBinary: boolean): void {
    if (!this.countMessage() || !this.#countBytes(data.length) || this.readyState !== WebSocket.OPEN) return
    // A peer that does not read its answers is not read either.
    if (this.bufferedAmount > this.limits.bufferedBytes) this.pause()
    // Some clients send texts as binary messages. The library has checked the encoding of text messages only.
    if (isBinary && !isUtf8(data)) return this.close(...CLOSING.invalid)
    try {
      this.#handle(data.toString())
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    // The payload of a ping can be nested so deeply that it can be parsed but not serialised again.
    if (error instanceof RangeError) return this.close(...CLOSING.invalid)
    this.parts.logger.error({ err: error }, 'a message could not be handled')
    this.close(...CLOSING.failed)
  }

  onClose(): void {
    if (this.#greetingTimer !== null) clearTimeout(this.#greetingTimer)
    this.parts.timer.delete(this)
    this.parts.handlers.closed(this.session)
    this.#cancelOperations()
  }

  #cancelOperations(): void {
    for (const operation of this.#operations?.values() ?? []) operation.cancel()
  }

  #handle(text: string): void {
    const message = this.#read(text)
    if (message === null) return this.close(...CLOSING.invalid)
    switch (message.type) {
      case MessageType.ConnectionInit:
        this.#greet(message.payload).catch((error: unknown) => this.#fail(error))
        return
      case MessageType.Subscribe:
        return this.#subscribe(message, text)
      case MessageType.Complete:
        return this.#operations?.get(JSON.stringify(message.id))?.cancel()
      case MessageType.Ping:
        this.sendText(JSON.stringify({ type: MessageType.Pong, payload: message.payload ?? undefined }))
        return
      case MessageType.Pong:
        return
      default:
        // Messages that only a server may send.
        return this.close(...CLOSING.invalid)
    }
  }

  /** Returns null for a text that is no message. */
  #read(text: string): ReturnType<typeof parseMessage> | null {
    try {
      return parseMessage(this.parts.parse(text))
    } catch {
      return null
    }
  }

  async #greet(payload: unknown): Promise<void> {
    if (this.#stage !== STAGE.opened) return this.close(...CLOSING.greetedTwice)
    this.#stage = STAGE.greeting
    if (this.#greetingTimer !== null) clearTimeout(this.#greetingTimer)
    this.#greetingTimer = null
    if (!(await this.parts.handlers.greet(this.session, payload)) || !this.isOpen) return
    this.#stage = STAGE.greeted
    this.sendText(ACKNOWLEDGEMENT)
  }

  #subscribe({ id, payload }: SubscribeMessage, text: string): void {
    const { limits } = this
    const fullAt = takeFromRate(this.#operationsFullAt, 1, limits.operationsPerSecond, performance.now())
    if (fullAt === null) return this.#cut('flood')
    this.#operationsFullAt = fullAt
    if (this.#stage !== STAGE.greeted) return this.close(...CLOSING.tooEarly)
    // Every answer repeats it.
    if (Buffer.byteLength(id) > MAX_ID_BYTES) return this.close(...CLOSING.longId)
    const key = JSON.stringify(id)
    const earlier = this.#operations?.get(key)
    if (earlier?.isOver === false) return this.close(...CLOSING.duplicate)
    const operation = new SocketOperation(this, key)
    this.#operations ??= new Map()
    this.#operations.set(key, operation)
    if (earlier === undefined) operation.enter(payload, text)
    else earlier.onEnd = () => operation.enter(payload, text)
  }

  /** Counts the bytes of a message. Returns false, and closes the socket, if the peer exceeds its rate. */
  #countBytes(bytes: number): boolean {
    const fullAt = takeFromRate(this.#bytesFullAt, bytes, this.limits.bytesPerSecond, performance.now())
    this.#bytesFullAt = fullAt ?? this.#bytesFullAt
    if (fullAt === null) this.#cut('flood')
    return fullAt !== null
  }

  /** Closes the socket of a peer that exceeds a limit, with 1013 (may retry) or 4429 (should not). */
  #cut(why: 'flood' | 'overload'): void {
    if (this.readyState === WebSocket.OPEN) {
      const [closeCode, reason] = CLOSING[why]
      this.parts.logger.info({ closeCode, reason: why }, 'a socket was closed')
      this.close(closeCode, reason)
      this.#cancelOperations()
    }
    // Nothing more is read from the connection.
    this.pause()
  }
}

function closeUngreeted(socket: GraphqlSocket): void {
  socket.close(...CLOSING.notGreeted)
}

// Listeners are shared by all sockets.

function onMessage(this: WebSocket, data: unknown, isBinary: boolean): void {
  ;(this as GraphqlSocket).onMessage(data as Buffer, isBinary)
}

function onPing(this: WebSocket): void {
  // The library answers pings, also before connection_init; they are counted like messages.
  ;(this as GraphqlSocket).countMessage()
}

function onPong(this: WebSocket): void {
  ;(this as GraphqlSocket).onPong()
}

function onError(this: WebSocket, error: Error): void {
  // The library has already sent the close code for a malformed frame.
  ;(this as GraphqlSocket).parts.logger.debug({ err: error }, 'a socket failed')
}

function onClose(this: WebSocket): void {
  ;(this as GraphqlSocket).onClose()
}
