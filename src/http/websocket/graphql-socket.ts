import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, parseMessage, type SubscribeMessage } from 'graphql-ws'
import { WebSocket } from 'ws'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import { TokenKeysUnavailableError } from '../../access/token-errors.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { SocketLimits } from '../../config/socket-limits.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import { hasRepeatedKey } from '../../lib/has-repeated-key.ts'
import type { SharedTimer } from '../../lib/shared-timer.ts'
import type { Logger } from '../../observability/logger.ts'
import type { TokenEndReason, TokenEnds, TokenHolder } from '../connections/token-end.ts'
import { takeFromRate, type ConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import type { DescribeOptions } from '../overload/describe-operation.ts'
import type { Overload } from '../overload/overload.ts'
import { CLOSING } from './closing.ts'
import { connectionToken } from './connection-token.ts'
import { SocketOperation } from './socket-operation.ts'
import { textFrame } from './text-frame.ts'

/** What all sockets of a process share. */
export type SocketParts = DescribeOptions & {
  readonly engine: Engine
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly tokenEnds: TokenEnds
  readonly overload: Overload
  readonly timer: SharedTimer
  /** Sockets of each address, and of each caller. */
  readonly addresses: ConcurrencyLimiter
  readonly subjects: ConcurrencyLimiter
  readonly logger: Logger
  readonly clock: () => Date
}

/** What is known of a peer from its upgrade request, which is not kept: its headers take several kilobytes. */
export type SocketPeer = {
  /** Null where it is nobody's. */
  readonly address: string | null
  /** Under which it is counted where it shows no token. */
  readonly peer: string
  readonly authorization: readonly string[] | undefined
  /** It has proved to be the router. */
  readonly isRouter: boolean
  /** The same, or no router's secret is set up. */
  readonly fromRouter: boolean
}

export type SocketSetting = { readonly parts: SocketParts; readonly limits: SocketLimits; readonly peer: SocketPeer }

const ACKNOWLEDGEMENT = JSON.stringify({ type: MessageType.ConnectionAck })
const STAGE = { opened: 0, greeting: 1, greeted: 2 }

/**
 * The server's side of `graphql-transport-ws` over one socket
 * (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md). All its state are fields of this object, and its timers are
 * shared: a process holds thousands of sockets that mostly wait.
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
  #stage = STAGE.opened
  #greetingTimer: NodeJS.Timeout | null = null
  #operations: Map<string, SocketOperation> | null = null
  #streams = 0
  #others = 0
  /** Instants at which the buckets of the peer's rates are full again. */
  #messagesFullAt = 0
  #bytesFullAt = 0
  #operationsFullAt = 0
  /** Calls of the timer since the last ping, and since too much began to wait. */
  #sincePing = 0
  #sinceFull = 0
  #isAlive = true

  /** Takes up the protocol once the connection is upgraded. */
  open(connection: Duplex, { parts, limits, peer }: SocketSetting): void {
    this.#connection = connection
    this.parts = parts
    this.limits = limits
    this.address = peer.address
    this.peer = peer.peer
    this.fromRouter = peer.fromRouter
    this.#isRouter = peer.isRouter
    this.#authorization = peer.authorization
    this.on('message', onMessage).on('ping', onPing).on('pong', onPong).on('error', onError).on('close', onClose)
    parts.timer.add(this)
    // Sockets that were opened at once are not pinged at once.
    this.#sincePing = Math.floor((Math.random() * limits.keepAliveMs) / parts.timer.periodMs)
    if (this.protocol !== GRAPHQL_TRANSPORT_WS_PROTOCOL) this.close(...CLOSING.subprotocol)
    else this.#greetingTimer = setTimeout(closeUngreeted, limits.initMs, this)
  }

  /**
   * Sends a message, and calls `onSent` when it has left this process. Nothing is sent once the socket is closing. The library's
   * own frames cannot come between: without compression it has none under way.
   */
  sendText(text: string, onSent?: (error?: Error | null) => void): void {
    if (this.readyState === WebSocket.OPEN) this.#connection.write(textFrame(text), onSent)
  }

  /** Counts an operation that is about to begin; false when too many of its kind are under way. */
  addOperation(isStream: boolean): boolean {
    if ((isStream ? this.#streams : this.#others) >= this.limits.streams) return false
    if (isStream) this.#streams += 1
    else this.#others += 1
    return true
  }

  /** Forgets an operation that has ended. `isStream` is null for one that was not counted. */
  removeOperation(operation: SocketOperation, isStream: boolean | null): void {
    if (isStream === true) this.#streams -= 1
    if (isStream === false) this.#others -= 1
    if (this.#operations?.get(operation.id) !== operation) return
    this.#operations.delete(operation.id)
    if (this.#operations.size === 0) this.#operations = null
  }

  /**
   * After 4403 the official client comes back with a new token. A router has no other than the one of the socket: it would try
   * that again for half a minute, and say nothing to its client.
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
    this.ping()
  }

  onPong(): void {
    this.#isAlive = true
    this.countMessage()
  }

  /** Counts what the peer has sent; false when that is more than it may. */
  countMessage(): boolean {
    const fullAt = takeFromRate(this.#messagesFullAt, 1, this.limits.messagesPerSecond, performance.now())
    this.#messagesFullAt = fullAt ?? this.#messagesFullAt
    if (fullAt === null) this.#cut('flood')
    return fullAt !== null
  }

  onMessage(data: Buffer, isBinary: boolean): void {
    if (!this.countMessage() || !this.#countBytes(data.length) || this.readyState !== WebSocket.OPEN) return
    // Each message may ask for an answer of its size: who does not take the answers is not asked for more.
    if (this.bufferedAmount > this.limits.bufferedBytes) this.pause()
    if (isBinary) return this.close(...CLOSING.invalid)
    try {
      this.#handle(data.toString())
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    // Nested so deep that it can be read and not be written again: a ping wants its payload back.
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
    if (message === null || hasRepeatedKey(text)) return this.close(...CLOSING.invalid)
    switch (message.type) {
      case MessageType.ConnectionInit:
        this.#greet(message.payload).catch((error: unknown) => this.#fail(error))
        return
      case MessageType.Subscribe:
        return this.#subscribe(message, text)
      case MessageType.Complete:
        return this.#operations?.get(JSON.stringify(message.id))?.cancel()
      case MessageType.Ping:
        return this.sendText(JSON.stringify({ type: MessageType.Pong, payload: message.payload ?? undefined }))
      case MessageType.Pong:
        return
      default:
        // What only a server says.
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
      // It may have closed in the meantime: then nothing is to be kept for it.
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
      // Nothing is known about the token: the client is told to come back, not that it is refused.
      if (error instanceof TokenKeysUnavailableError) this.close(...CLOSING.overload)
      else this.onTokenEnd('forbidden')
      return false
    }
  }

  #subscribe({ id, payload }: SubscribeMessage, text: string): void {
    const { limits } = this
    const fullAt = takeFromRate(this.#operationsFullAt, 1, limits.operationsPerSecond, performance.now())
    if (fullAt === null) return this.#cut('flood')
    this.#operationsFullAt = fullAt
    if (this.#stage !== STAGE.greeted) return this.close(...CLOSING.tooEarly)
    const key = JSON.stringify(id)
    const earlier = this.#operations?.get(key)
    if (earlier?.isOver === false) return this.close(...CLOSING.duplicate)
    const operation = new SocketOperation(this, key)
    this.#operations ??= new Map()
    this.#operations.set(key, operation)
    if (earlier === undefined) operation.enter(payload, text)
    else earlier.onEnd = () => operation.enter(payload, text)
  }

  /** Counts what a message brings; false when that is more than the peer may send. */
  #countBytes(bytes: number): boolean {
    const fullAt = takeFromRate(this.#bytesFullAt, bytes, this.limits.bytesPerSecond, performance.now())
    this.#bytesFullAt = fullAt ?? this.#bytesFullAt
    if (fullAt === null) this.#cut('flood')
    return fullAt !== null
  }

  /** Closes a peer that costs too much: it is told to come back (1013), or not to (4429). */
  #cut(why: 'flood' | 'overload'): void {
    if (this.readyState === WebSocket.OPEN) {
      const [closeCode, reason] = CLOSING[why]
      this.parts.logger.info({ closeCode, reason: why }, 'a socket was cut')
      this.close(closeCode, reason)
      this.#cancelOperations()
    }
    // Its connection ends without another byte of it being read.
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

// Listeners that all sockets share.

function onMessage(this: WebSocket, data: unknown, isBinary: boolean): void {
  ;(this as GraphqlSocket).onMessage(data as Buffer, isBinary)
}

function onPing(this: WebSocket): void {
  // Answered by the library, and before the greeting too, so that all that a peer sends is counted alike.
  ;(this as GraphqlSocket).countMessage()
}

function onPong(this: WebSocket): void {
  ;(this as GraphqlSocket).onPong()
}

function onError(this: WebSocket, error: Error): void {
  // What is wrong with a frame has been answered by then with the close code that says so.
  ;(this as GraphqlSocket).parts.logger.debug({ err: error }, 'a socket failed')
}

function onClose(this: WebSocket): void {
  ;(this as GraphqlSocket).onClose()
}
