import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import { limitsOfRouter, type SocketLimits } from '../../config/socket-limits.ts'
import type { DescribeOptions } from '../overload/describe-operation.ts'
import { enterOverSocket } from '../overload/enter-over-socket.ts'
import type { Overload } from '../overload/overload.ts'
import { retryAfterS } from '../overload/retry-after.ts'
import { createQuota } from '../quota.ts'
import { carrySocket, CLOSING, DRAIN_GOODBYE_MS, GOODBYE_MS } from './carry-socket.ts'
import { createSocketProtocol, type SocketProtocolOptions } from './socket-protocol.ts'

export type WebSocketOptions = Omit<SocketProtocolOptions, 'callers'> &
  DescribeOptions & {
    readonly server: Server
    readonly isAllowedOrigin: (request: IncomingMessage) => boolean
    /** Whose connection it is; null for one that is nobody's, and is not counted. */
    readonly addressOf: (request: IncomingMessage) => string | null
    readonly overload: Overload
  }

export type Sockets = {
  /** How many are open. */
  readonly count: number
  /** Ends every connection with 1012, so that clients come back to a process that runs. */
  close(): Promise<void>
}

const PATH = '/graphql'
/** Fragments of one message, and chunks of one frame, that are put together: each costs more than its bytes. */
const MAX_PARTS = 1_000

/** Subscriptions, queries and mutations over `graphql-transport-ws`. */
export function addWebSocket(options: WebSocketOptions): Sockets {
  const { server, limits, isRouter, overload, logger } = options
  const sockets = new WebSocketServer(settingsFor(limits))
  const addresses = createQuota(limits.perAddress)
  let closing = false

  const callers = new WeakMap<WebSocket, Caller>()
  const protocol = createSocketProtocol({ ...options, callers })
  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) =>
    carrySocket(socket, request, {
      protocol,
      limits: isRouter(request) ? limitsOfRouter(limits) : limits,
      enter: enterOverSocket({ ...options, callerOf: () => callers.get(socket) ?? ANONYMOUS, request }),
      logger,
    }),
  )

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) => logger.debug({ err: error }, 'a socket failed before it was upgraded'))
    if (closing || overload.isOverloaded()) return refuse(socket, '503 Service Unavailable')
    if (pathOf(request) !== PATH) return refuse(socket, '404 Not Found')
    if (!options.isAllowedOrigin(request)) return refuse(socket, '403 Forbidden')
    const address = isRouter(request) ? null : options.addressOf(request)
    const leave = address === null ? undefined : addresses.take(address)
    if (leave === null) {
      logger.warn({ reason: 'address' }, 'a socket was refused: too many are open')
      return refuse(socket, '429 Too Many Requests')
    }
    if (leave !== undefined) socket.once('close', leave)
    return sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request))
  }
  server.on('upgrade', upgrade)

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

/** What the types of `ws` do not know yet is in its documentation: the last three. */
function settingsFor(limits: SocketLimits) {
  return {
    noServer: true,
    handleProtocols,
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    maxFragments: MAX_PARTS,
    maxBufferedChunks: MAX_PARTS,
    closeTimeout: GOODBYE_MS,
  } satisfies ServerOptions & Record<'maxFragments' | 'maxBufferedChunks' | 'closeTimeout', number>
}

/** An unknown subprotocol is accepted for a moment, so that the library can close it with the code that says why. */
function handleProtocols(protocols: Set<string>): string | false {
  return protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

/** Answers, and lets go: a peer that keeps its side open must not hold up the end of the process. */
function refuse(socket: Duplex, status: string): void {
  const again = /^(?:429|503)/.test(status) ? `Retry-After: ${retryAfterS()}\r\n` : ''
  socket.end(`HTTP/1.1 ${status}\r\n${again}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}
