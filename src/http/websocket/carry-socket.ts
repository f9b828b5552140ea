import type { IncomingMessage } from 'node:http'
import type { Server as Protocol } from 'graphql-ws'
import { CloseCode } from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import type { SocketLimits } from '../../config/socket-limits.ts'
import type { Logger } from '../../log.ts'
import { createRate } from '../quota.ts'
import { createOperations, type Operations, type OperationsOptions } from './socket-operations.ts'

/** What belongs to a connection, for the hooks of the protocol. */
export type Extra = {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  readonly limits: SocketLimits
  readonly admit: Operations['admit']
  readonly isRefused: Operations['isRefused']
  readonly answered: Operations['answered']
}

/** How long a peer may take to answer the close frame, in milliseconds; then its connection is cut. */
export const GOODBYE_MS = 2_000

/** The same when the process ends, so that peers which do not answer delay it for less than two seconds in all. */
export const DRAIN_GOODBYE_MS = 1_500

/** What the server closes a socket with, besides the codes that the library itself gives. */
export const CLOSING = {
  duplicate: [CloseCode.SubscriberAlreadyExists, 'Subscriber already exists'],
  expired: [CloseCode.Forbidden, 'Token expired'],
  failed: [CloseCode.InternalServerError, 'Internal server error'],
  flood: [CloseCode.TooManyInitialisationRequests, 'Too many requests'],
  invalid: [CloseCode.BadRequest, 'Invalid message received'],
  overload: [1013, 'Try again later'],
  restart: [1012, 'Service restart'],
  withdrawn: [CloseCode.Forbidden, 'Token no longer valid'],
  unauthorized: [CloseCode.Unauthorized, 'Token not valid'],
} as const satisfies Record<string, readonly [code: number, reason: string]>

type CarryOptions = {
  readonly protocol: Protocol<Extra>
  readonly limits: SocketLimits
  /** Resolves when an operation of this socket may begin, with the function that counts it as ended; with null when it is refused. */
  readonly enter: OperationsOptions['enter']
  readonly logger: Logger
}

/**
 * Carries the protocol over one socket. The library's own adapter prints errors with their texts, and cuts a peer that is
 * silent without a word; here they go to the log, and the peer is told to come back (1013), or not to (4429).
 */
export function carrySocket(socket: WebSocket, request: IncomingMessage, options: CarryOptions): void {
  const { protocol, limits, enter, logger } = options
  const cut = (why: 'flood' | 'overload') => {
    const [closeCode, reason] = CLOSING[why]
    logger.info({ closeCode, reason: why }, 'a socket was cut')
    socket.close(closeCode, reason)
    // Its connection ends without another byte of it being read.
    socket.pause()
  }
  const stopWatching = watchPeer(socket, limits, cut)
  let operations: Operations | null = null
  // What is wrong with a frame has been answered by then with the close code that says so.
  socket.on('error', (error) => logger.debug({ err: error }, 'a socket failed'))
  const onClosed = protocol.opened(
    {
      protocol: socket.protocol,
      send: sender(socket),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (listener) => {
        const current = createOperations({
          listener,
          limit: limits.streams,
          mayBegin: createRate(limits.operationsPerSecond),
          enter,
          close: (why) => {
            if (why === 'flood') cut(why)
            else socket.close(CLOSING[why][0], CLOSING[why][1])
          },
        })
        operations = current
        socket.on('message', (data: RawData, isBinary: boolean) => {
          // What follows the message for which the socket was closed is not answered.
          if (socket.readyState !== socket.OPEN) return
          if (isBinary) return socket.close(...CLOSING.invalid)
          current.handle(textOf(data)).catch((error: unknown) => {
            // Nested so deep that it can be read and not be written again: a ping wants its payload back.
            if (error instanceof RangeError) return socket.close(...CLOSING.invalid)
            logger.error({ err: error }, 'a message could not be handled')
            socket.close(...CLOSING.failed)
          })
        })
      },
    },
    {
      socket,
      request,
      limits,
      admit: (id, kind) => operations?.admit(id, kind) ?? false,
      isRefused: (id) => operations?.isRefused(id) ?? false,
      answered: (id) => operations?.answered(id),
    },
  )
  socket.once('close', (code, reason) => {
    stopWatching()
    operations?.close()
    onClosed(code, reason.toString()).catch((error: unknown) =>
      logger.error({ err: error }, 'a socket was not tidied up'),
    )
  })
}

/**
 * Gives the function that sends. It resolves when the message has left this process, or when the socket has closed: until
 * then nothing more is read for a stream, so that a socket which is closing does not run through the log.
 */
function sender(socket: WebSocket): (data: string) => Promise<void> {
  const waiting = new Set<() => void>()
  socket.once('close', () => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  })
  return (data) =>
    new Promise((resolve) => {
      if (socket.readyState === socket.CLOSED) return resolve()
      waiting.add(resolve)
      if (socket.readyState !== socket.OPEN) return
      socket.send(data, (error) => {
        // What could not be sent waits for the end, which is about to come.
        if (error !== undefined && error !== null) return
        waiting.delete(resolve)
        resolve()
      })
    })
}

/**
 * Calls `cut` once for a peer that answers no ping, lets too much wait for too long, or sends more than it may. Gives the
 * function that ends it.
 */
function watchPeer(socket: WebSocket, limits: SocketLimits, cut: (why: 'flood' | 'overload') => void): () => void {
  const { keepAliveMs, bufferedBytes, bufferedMs } = limits
  const maySend = createRate(limits.messagesPerSecond)
  const mayBring = createRate(limits.bytesPerSecond)
  let answered = true
  let fullSince: number | null = null

  const stop = () => {
    clearInterval(pinging)
    clearInterval(looking)
  }
  const cutOnce = (why: 'flood' | 'overload') => {
    stop()
    if (socket.readyState === socket.OPEN) cut(why)
    else socket.pause()
  }
  const look = () => {
    if (socket.bufferedAmount <= bufferedBytes) {
      fullSince = null
      socket.resume()
    } else if (performance.now() - (fullSince ??= performance.now()) >= bufferedMs) cutOnce('overload')
  }
  const ping = () => {
    if (!answered) return cutOnce('overload')
    answered = false
    if (socket.readyState === socket.OPEN) socket.ping()
  }
  const count = () => {
    if (!maySend()) cutOnce('flood')
  }
  const looking = setInterval(look, Math.min(1_000, bufferedMs / 2)).unref()
  const pinging = setInterval(ping, keepAliveMs).unref()
  socket.on('pong', () => (answered = true))
  // Pings are answered by the library, and before the greeting too, so that all that a peer sends is counted alike.
  for (const event of ['message', 'ping', 'pong'] as const) socket.on(event, count)
  // Each message may ask for an answer of its size: who does not take the answers is not asked for more.
  socket.on('message', (data: Buffer) => {
    if (!mayBring(data.length)) cutOnce('flood')
    else if (socket.bufferedAmount > bufferedBytes) socket.pause()
  })
  return stop
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString()
}
