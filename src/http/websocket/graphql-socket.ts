import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, parseMessage, type SubscribeMessage } from 'graphql-ws'
import { WebSocket } from 'ws'
import { ANONYMOUS, type Caller, TokenKeysUnavailableError } from '../../access/caller.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { SocketLimits } from '../../config/limits.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import { hasRepeatedKey } from '../../lib/exact-json.ts'
import type { SharedTimer } from '../../lib/timers.ts'
import type { Logger } from '../../observability/logger.ts'
import type { TokenEndReason, TokenEnds, TokenHolder } from '../connections/token-end.ts'
import { isGuess, takeFromRate, type ConcurrencyLimiter, type FailedAttempts } from '../limits/flood-guard.ts'
import type { Overload } from '../overload/overload.ts'
import { connectionToken } from '../server/client-caller.ts'
import { PING, textFrame } from './frames.ts'
import { CLOSING, LEGACY_PROTOCOL, LEGACY_REFUSAL, SocketOperation } from './socket-operation.ts'

/** Dependencies that all sockets of a process share. */
export type SocketParts = {
  readonly engine: Engine
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly tokenEnds: TokenEnds
  readonly overload: Overload
  readonly timer: SharedTimer
  /** Limiters of sockets per address and per caller. */
  readonly addresses: ConcurrencyLimiter
  readonly subjects: ConcurrencyLimiter
  /** Failed authentications per peer, over every transport together. */
  readonly failures: FailedAttempts
  readonly onTurnedAway: (reason: 'failed_authentication') => void
  readonly logger: Logger
  readonly clock: () => Date
}

/** What is kept of a peer's upgrade request. The request itself is not kept: its headers take several kilobytes. */
export type SocketPeer = {
  /** Null if the address is shared (a proxy, a router, this machine). */
  readonly address: string | null
  /** Key for its limits if it has no token. */
  readonly peer: string
  /** The name under which its failed authentications are counted. */
  readonly name: string
  readonly authorization: readonly string[] | undefined
  /** The request has the router's secret. */
  readonly isRouter: boolean
  /** The same, or no router secret is configured. */
  readonly fromRouter: boolean
}

export type SocketSetting = { readonly parts: SocketParts; readonly limits: SocketLimits; readonly peer: SocketPeer }

const ACKNOWLEDGEMENT = JSON.stringify({ type: MessageType.ConnectionAck })
const NOTHING = Buffer.alloc(0)
/** Longest id of an operation, in bytes: clients send a number or a UUID of 36. */
const MAX_ID_BYTES = 128
const STAGE = { opened: 0, greeting: 1, greeted: 2 }

/**
 * The server side of `graphql-transport-ws` for one socket
 * (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md). To keep thousands of idle sockets cheap, all state is in the
 * fields of this object, and timers are shared.
 */
export class GraphqlSocket extends WebSocket implements TokenHolder {
  caller: Caller = ANONYMOUS
  token: string | null = null
  parts!: SocketParts
  limits!: SocketLimits
  address: string | null = null
  peer = ''
  fromRouter = false
  #connection!: Duplex
  #isRouter = false
  #authorization: readonly string[] | undefined = undefined
  #name = ''
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
  open(connection: Duplex, { parts, limits, peer }: SocketSetting): void {
    this.#connection = connection
    this.parts = parts
    this.limits = limits
    this.address = peer.address
    this.peer = peer.peer
    this.fromRouter = peer.fromRouter
    this.#isRouter = peer.isRouter
    this.#authorization = peer.authorization
    this.#name = peer.name
    this.on('message', onMessage).on('ping', onPing).on('pong', onPong).on('error', onError).on('close', onClose)
    parts.timer.add(this)
    // Spreads the pings of sockets that were opened at the same time.
    this.#sincePing = Math.floor((Math.random() * limits.keepAliveMs) / parts.timer.periodMs)
    if (this.protocol === LEGACY_PROTOCOL) this.sendText(LEGACY_REFUSAL)
    if (this.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) this.close(...CLOSING.subprotocol)
    else this.#greetingTimer = setTimeout(closeUngreeted, limits.initMs, this)
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

  /**
   * After 4403 the official client reconnects with a new token. A router has only the token of this socket: it would retry for half a
   * minute without telling its client, so it gets 4401.
   */
  onTokenEnd(reason: TokenEndReason | 'forbidden'): void {
    const [code, text] = this.#isRouter ? CLOSING.unauthorized : CLOSING[reason]
    this.close(code, text)
  }

  onTimer(): void {
    if (this.readyState !== WebSocket.OPEN) return
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
    if (isBinary) return this.close(...CLOSING.invalid)
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
    const { parts, caller, address } = this
    if (this.#greetingTimer !== null) clearTimeout(this.#greetingTimer)
    parts.timer.delete(this)
    parts.tokenEnds.unwatch(this)
    if (address !== null && !this.#isRouter) parts.addresses.release(address)
    if (caller.kind === 'client' && caller.identity !== null) parts.subjects.release(caller.identity)
    this.#cancelOperations()
  }

  #cancelOperations(): void {
    for (const operation of this.#operations?.values() ?? []) operation.cancel()
  }

  #handle(text: string): void {
    const message = readMessage(text)
    if (message === null || hasRepeatedKey(text, message)) return this.close(...CLOSING.invalid)
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

  async #greet(params: unknown): Promise<void> {
    if (this.#stage !== STAGE.opened) return this.close(...CLOSING.greetedTwice)
    this.#stage = STAGE.greeting
    if (this.#greetingTimer !== null) clearTimeout(this.#greetingTimer)
    this.#greetingTimer = null
    const token = connectionToken(params, { authorization: this.#authorization })
    this.#authorization = undefined
    if (token !== null && !(await this.#authenticate(token))) return
    if (this.readyState !== WebSocket.OPEN) return
    this.#stage = STAGE.greeted
    this.sendText(ACKNOWLEDGEMENT)
  }

  async #authenticate(token: string): Promise<boolean> {
    const { verifier, subjects, tokenEnds, logger } = this.parts
    try {
      const caller = await verifier.verify(token)
      // The socket may have closed in the meantime; then nothing may be acquired for it.
      if (this.readyState !== WebSocket.OPEN) return false
      if (caller.identity !== null && !subjects.acquire(caller.identity)) {
        logger.warn({ reason: 'subject' }, 'a socket was refused: too many are open')
        this.close(...CLOSING.overload)
        return false
      }
      this.caller = caller
      this.token = token
      tokenEnds.watch(this)
      return true
    } catch (error) {
      // The token could not be verified: the client should retry, and is not refused.
      if (error instanceof TokenKeysUnavailableError) this.close(...CLOSING.overload)
      else if (isGuess(error) && !this.#isRouter) this.#onGuess()
      else this.onTokenEnd('forbidden')
      return false
    }
  }

  /** Counts a token that was never issued. Above the limit of its peer, the close code tells the client not to connect again. */
  #onGuess(): void {
    const { failures, onTurnedAway } = this.parts
    if (!failures.tooMany(this.#name)) {
      failures.count(this.#name)
      return this.onTokenEnd('forbidden')
    }
    onTurnedAway('failed_authentication')
    this.close(...CLOSING.flood)
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
      this.parts.logger.info({ closeCode, reason: why }, 'a socket was cut')
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

function readMessage(text: string): ReturnType<typeof parseMessage> | null {
  try {
    return parseMessage(text)
  } catch {
    return null
  }
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
