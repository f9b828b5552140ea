import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { peerName } from '../server/client-address.ts'

type ConnectionLimit = {
  /** Maximum number of open connections per address; 0 for no limit. */
  readonly perAddress: number
  /** Whether the connections of an address are not counted because many clients share it. */
  readonly isExempt: (address: string | undefined) => boolean
  /** Whether a request is proved to come from the router; its connection is not counted from then on. */
  readonly isRouter: (headers: IncomingMessage['headers']) => boolean
  readonly onRefused: () => void
}

/** Closes connections above the limit of their address before any byte is read. WebSockets count as well. */
export function limitConnections(server: Server, limit: ConnectionLimit): void {
  const { perAddress, isExempt, isRouter, onRefused } = limit
  if (perAddress === 0) return
  const connections = createConcurrencyLimiter(perAddress)
  const counted = new WeakMap<Socket, string>()
  const release = (socket: Socket) => {
    const address = counted.get(socket)
    if (address === undefined) return
    counted.delete(socket)
    connections.release(address)
  }
  server.on('connection', (socket: Socket) => {
    if (isExempt(socket.remoteAddress)) return
    const address = peerName(socket.remoteAddress)
    if (!connections.acquire(address)) {
      onRefused()
      socket.destroy()
      return
    }
    counted.set(socket, address)
    socket.once('close', () => release(socket))
  })
  const releaseRouter = ({ socket, headers }: IncomingMessage) => {
    if (counted.has(socket) && isRouter(headers)) release(socket)
  }
  server.on('request', releaseRouter)
  server.on('upgrade', releaseRouter)
}

/** The state of one connection. */
type TrackedConnection = {
  /** Milliseconds of `performance.now()`. */
  readonly acceptedAt: number
  /** The latest request; earlier ones are complete. */
  last: IncomingMessage | null
  /** Number of requests without a response. */
  unanswered: number
  /** Bytes received when the latest response was sent; null before the first one. */
  answeredBytes: number | null
  /** Upgraded: another protocol reads and ends it. */
  upgraded: boolean
}

export type Connections = {
  readonly open: ReadonlyMap<Socket, TrackedConnection>
  /** Called when a connection opens, when a request arrives on it, and when a request is answered or aborted. */
  onChange: (socket: Socket, connection: TrackedConnection) => void
}

/** Tracks the connections of a server. Requests are counted before the server's own listeners see them. */
export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, TrackedConnection>()
  const connections: Connections = { open, onChange: () => {} }

  server.on('connection', (socket) => {
    const connection: TrackedConnection = {
      acceptedAt: performance.now(),
      last: null,
      unanswered: 0,
      answeredBytes: null,
      upgraded: false,
    }
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
    connections.onChange(socket, connection)
  })
  server.prependListener('request', (request, response) => {
    const { socket } = request
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.unanswered += 1
    connection.last = request
    connections.onChange(socket, connection)
    response.on('close', () => {
      connection.unanswered -= 1
      connection.answeredBytes = socket.bytesRead
      connections.onChange(socket, connection)
    })
  })
  server.on('upgrade', ({ socket }) => {
    const connection = open.get(socket)
    if (connection !== undefined) connection.upgraded = true
  })
  return connections
}

/** Closes the connections of a server at shutdown, so that idle ones do not delay it. */
export type ConnectionDrain = {
  /**
   * Closes every connection without a request in progress, now and until the server is closed: immediately after a response, one
   * second after it was accepted if nothing was received, within one second if a header is incomplete, and within one and a half
   * if a body is.
   */
  begin(): void
  /** Destroys every connection, including upgraded ones. */
  destroyAll(): void
}

/** Milliseconds for the first byte after a connection is accepted, and for the rest of an incomplete header. */
const QUIET_MS = 1_000
/** Milliseconds for the rest of a body. A webhook that is cut is sent again by the payments API. */
const BODY_MS = 1_500

/**
 * Drains the connections of a server. Node's own `closeIdleConnections` leaves those open on which no request was ever completed,
 * such as preconnects of browsers and TCP probes, until the header timeout.
 */
export function drainConnections(connections: Connections): ConnectionDrain {
  const { open } = connections

  const endIfQuiet = (socket: Socket, connection: TrackedConnection, drainingSince: number) => {
    const { unanswered, last, answeredBytes, acceptedAt, upgraded } = connection
    if (upgraded || unanswered > 1 || (unanswered === 1 && last?.complete !== false)) return
    if (unanswered === 0 && answeredBytes === socket.bytesRead) return socket.destroySoon()
    const since = socket.bytesRead === 0 ? acceptedAt : drainingSince
    const left = since + (unanswered === 0 ? QUIET_MS : BODY_MS) - performance.now()
    if (left <= 0) return void socket.destroy()
    setTimeout(endIfQuiet, left, socket, connection, drainingSince)
  }

  return {
    begin() {
      const begunAt = performance.now()
      connections.onChange = (socket, connection) => endIfQuiet(socket, connection, begunAt)
      for (const [socket, connection] of open) endIfQuiet(socket, connection, begunAt)
    },
    destroyAll() {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}

/** Milliseconds within which a peer must read some of a response. */
export const UNREAD_MS = 10_000

/**
 * Destroys the connection of a peer that has read nothing of a response for so many milliseconds, because the response stays in
 * memory. A slow peer that reads some of it is kept. Meanwhile nothing is read from the peer, because what it sends would also count
 * as activity of the connection. Called when the response has been written, or its stream has begun.
 */
export function cutUnreadAnswer(response: ServerResponse, milliseconds: number): void {
  const { socket } = response
  // Most responses have been passed to the system by now; others, such as files, are in the next turn of the event loop.
  if (socket === null || (response.writableEnded && socket.writableLength === 0)) return
  setImmediate(() => {
    if (response.writableFinished || response.destroyed) return
    socket.setTimeout(milliseconds)
    response.once('finish', () => {
      socket.resume()
      // By now Node has set the keep-alive timeout, unless a pipelined request follows.
      if (socket.timeout === milliseconds) socket.setTimeout(0)
    })
    socket.pause()
  })
}
