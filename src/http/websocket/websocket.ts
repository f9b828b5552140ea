import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { WebSocketServer, type ServerOptions } from 'ws'
import { limitsOfRouter, type SocketLimits } from '../../config/limits.ts'
import { createSharedTimer, lookPeriodMs } from '../../lib/timers.ts'
import type { ShareCounts } from '../../redis/shared-counts.ts'
import type { UpgradeListener } from '../connections/requests-in-order.ts'
import { GRAPHQL_PATH } from '../graphql/graphql-body.ts'
import { createConcurrencyLimiter } from '../limits/flood-guard.ts'
import { connectionName } from '../overload/admit-graphql.ts'
import { retryAfterS } from '../overload/overload.ts'
import type { RouterCheck } from '../server/client-caller.ts'
import { pathOf } from '../server/direct-answers.ts'
import type { HttpServer } from '../server/server.ts'
import { GraphqlSocket, type SocketParts } from './graphql-socket.ts'
import { CLOSING, LEGACY_PROTOCOL } from './socket-operation.ts'

export type WebSocketOptions = Omit<SocketParts, 'timer' | 'addresses' | 'subjects'> & {
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
  /** Closes every socket with 1012, so that clients reconnect to another process. */
  close(): Promise<void>
}

/** Largest number of fragments of a message, and of chunks of a frame: each costs more memory than its bytes. */
const MAX_PARTS = 1_000
/** Milliseconds that a peer has to answer the close frame before its connection is destroyed. */
const GOODBYE_MS = 2_000
/** The same during shutdown, so that silent peers delay it for less than two seconds. */
const DRAIN_GOODBYE_MS = 1_500

/** Serves subscriptions, queries and mutations over `graphql-transport-ws`. */
export function addWebSocket(options: WebSocketOptions): WebSockets {
  const { acceptUpgrades, limits, overload, logger, shareCounts } = options
  const sockets = new WebSocketServer<typeof GraphqlSocket>({ ...settingsFor(limits), WebSocket: GraphqlSocket })
  const addresses = createConcurrencyLimiter(limits.perAddress, shareCounts('sockets-address', limits.perAddress))
  const subjects = createConcurrencyLimiter(limits.perSubject, shareCounts('sockets-subject', limits.perSubject))
  const parts: SocketParts = { ...options, timer: createSharedTimer(lookPeriodMs(limits)), addresses, subjects }
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
      logger.warn({ reason: 'address' }, 'a socket was refused: too many are open')
      return refuse(socket, '429 Too Many Requests')
    }
    let isOpened = false
    sockets.handleUpgrade(request, socket, head, (opened) => {
      isOpened = true
      socket.off('error', onEarlyError)
      const peer = {
        address,
        peer: connectionName(counted, request),
        name: options.peerOf(request),
        authorization: request.headersDistinct.authorization,
        isRouter,
        fromRouter: options.isFromRouter(request),
      }
      opened.open(socket, { parts, limits: isRouter ? routerLimits : limits, peer })
    })
    if (!isOpened && counted !== null) addresses.release(counted)
  }
  acceptUpgrades({ accepts: opensSocket, open })

  return {
    get count() {
      return sockets.clients.size
    },
    async close() {
      closing = true
      for (const socket of sockets.clients) socket.close(...CLOSING.restart)
      const stragglers = setTimeout(() => sockets.clients.forEach((socket) => socket.terminate()), DRAIN_GOODBYE_MS)
      await new Promise((resolve) => sockets.close(resolve))
      clearTimeout(stragglers)
    },
  }
}

/** The last option is documented by `ws` but missing in its types. */
function settingsFor(limits: SocketLimits) {
  return {
    noServer: true,
    handleProtocols,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    maxFragments: MAX_PARTS,
    maxBufferedChunks: MAX_PARTS,
    closeTimeout: GOODBYE_MS,
  } satisfies ServerOptions & Record<'closeTimeout', number>
}

/**
 * An unknown subprotocol is accepted at first, so that the socket can be closed with the code that says why. The legacy one is selected: a
 * browser fails a socket whose only subprotocol was not, and shows no code.
 */
function handleProtocols(protocols: Set<string>): string | false {
  return [GRAPHQL_TRANSPORT_WS_PROTOCOL, LEGACY_PROTOCOL].find((known) => protocols.has(known)) ?? false
}

/** Whether a request is a handshake (RFC 6455, section 4.1). In HTTP/1.0 an upgrade is ignored (RFC 9110, section 7.8). */
function opensSocket({ method, url = '', headers: { upgrade }, httpVersion }: IncomingMessage): boolean {
  return (
    method === 'GET' && upgrade?.toLowerCase() === 'websocket' && httpVersion === '1.1' && pathOf(url) === GRAPHQL_PATH
  )
}

/** Answers and destroys the connection: a peer that keeps its side open must not delay the shutdown. */
function refuse(socket: Duplex, status: string): void {
  const again = /^(?:429|503)/.test(status) ? `Retry-After: ${retryAfterS()}\r\n` : ''
  socket.end(`HTTP/1.1 ${status}\r\n${again}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}
