import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createLibrarySocketServer, createSocketServer } from 'graphql-sockets'
import { hasRepeatedKey } from 'payments-subgraph-lib/exact-json'
import { limitsOfRouter, type SocketLimits } from '../../config/limits.ts'
import { createSharedTimer, lookPeriodMs } from '../../lib/timers.ts'
import type { LimitUse } from '../../observability/metrics/metrics.ts'
import type { ShareCounts } from '../../redis/shared-counts.ts'
import type { UpgradeListener } from '../connections/requests-in-order.ts'
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { connectionName } from '../protection/admit-graphql.ts'
import { retryAfterS } from '../protection/overload.ts'
import type { RouterCheck } from '../server/client-caller.ts'
import { GRAPHQL_PATH } from '../server/graphql-exchange.ts'
import type { HttpServer } from '../server/server.ts'
import { createSocketHandlers, SocketSession, type SessionParts, type SocketPeer } from './socket-session.ts'

export type WebSocketOptions = Omit<SessionParts, 'addresses' | 'subjects'> & {
  /** Whether graphql-sockets serves them itself, and not graphql-ws. */
  readonly isOwn: boolean
  readonly acceptUpgrades: HttpServer['acceptUpgrades']
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  /** Address that a connection counts against; null if it is shared and not counted. */
  readonly addressOf: (request: IncomingMessage) => string | null
  /** The name under which a peer's failed authentications are counted. */
  readonly peerOf: (request: IncomingMessage) => string
  /** Whether a request has the router's secret. */
  readonly isRouter: RouterCheck
  /** The same, or no router secret is configured. */
  readonly isFromRouter: RouterCheck
  readonly limits: SocketLimits
  /** Shares the limits per address and per subject with other nodes. */
  readonly shareCounts: ShareCounts
}

export type WebSockets = {
  /** Number of open sockets. */
  readonly count: number
  /** Returns how much of the limits per address and per caller is used. */
  limits(): Readonly<Record<'sockets_per_address' | 'sockets_per_caller', LimitUse>>
  /** Closes every socket with 1012, spread over so many milliseconds, so that clients reconnect to another process. */
  close(overMs: number): Promise<void>
}

/** Serves subscriptions, queries and mutations over `graphql-transport-ws`. */
export function addWebSocket(options: WebSocketOptions): WebSockets {
  const { acceptUpgrades, limits, overload, logger, shareCounts } = options
  const addresses = createConcurrencyLimiter(limits.perAddress, shareCounts('sockets-address', limits.perAddress))
  const subjects = createConcurrencyLimiter(limits.perSubject, shareCounts('sockets-subject', limits.perSubject))
  const createServer = options.isOwn ? createSocketServer : createLibrarySocketServer
  const sockets = createServer({
    handlers: createSocketHandlers({ ...options, addresses, subjects }),
    timer: createSharedTimer(lookPeriodMs(limits)),
    logger,
    messageBytes: limits.messageBytes,
    parse: parseStrictly,
  })
  const routerLimits = limitsOfRouter(limits)
  let closing = false

  const onEarlyError = (error: Error) => logger.debug({ err: error }, 'a socket failed before it was upgraded')

  const open: UpgradeListener = (request, socket, head) => {
    socket.on('error', onEarlyError)
    if (closing || overload.isOverloaded()) return refuse(socket, '503 Service Unavailable')
    if (!options.isAllowedOrigin(request)) return refuse(socket, '403 Forbidden')
    const isRouter = options.isRouter(request)
    const address = options.addressOf(request)
    // A router opens sockets for many clients from one address.
    const counted = isRouter ? null : address
    if (counted !== null && !addresses.acquire(counted)) {
      options.onTurnedAway('sockets_per_address')
      logger.warn({ reason: 'address' }, 'a socket was refused: too many are open')
      return refuse(socket, '429 Too Many Requests')
    }
    const peer: SocketPeer = {
      address,
      peer: connectionName(counted, request),
      name: options.peerOf(request),
      isRouter,
      fromRouter: options.isFromRouter(request),
    }
    const isOpened = sockets.upgrade(request, socket, head, {
      limits: isRouter ? routerLimits : limits,
      sessionFor: (connection) => new SocketSession(connection, peer, request.headersDistinct.authorization),
    })
    if (isOpened) socket.off('error', onEarlyError)
    else if (counted !== null) addresses.release(counted)
  }
  acceptUpgrades({ accepts: opensSocket, open })

  return {
    get count() {
      return sockets.count
    },
    limits: () => ({ sockets_per_address: addresses.most(), sockets_per_caller: subjects.most() }),
    async close(overMs) {
      closing = true
      await sockets.close(overMs)
    },
  }
}

/** Parses a message. Throws for one with a key twice, of which an inspecting proxy may have read the other value. */
function parseStrictly(text: string): unknown {
  const message: unknown = JSON.parse(text)
  if (hasRepeatedKey(text, message)) throw new SyntaxError('An object has the same key twice.')
  return message
}

/** Whether a request is a handshake (RFC 6455, section 4.1). In HTTP/1.0 an upgrade is ignored (RFC 9110, section 7.8). */
function opensSocket({ method, url = '', headers: { upgrade }, httpVersion }: IncomingMessage): boolean {
  if (method !== 'GET' || upgrade?.toLowerCase() !== 'websocket' || httpVersion !== '1.1') return false
  // A proxy may send an absolute target (RFC 9112, section 3.2.2).
  return URL.parse(url, 'http://localhost')?.pathname.replace(/\/$/, '') === GRAPHQL_PATH
}

/** Answers and destroys the connection: a peer that keeps its side open must not delay the shutdown. */
function refuse(socket: Duplex, status: string): void {
  const again = /^(?:429|503)/.test(status) ? `Retry-After: ${retryAfterS()}\r\n` : ''
  socket.end(`HTTP/1.1 ${status}\r\n${again}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}
