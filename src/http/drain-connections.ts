import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server, so that those without a request do not delay its end. */
export type ConnectionDrain = {
  /**
   * Closes every connection without a request under way, now and until the server is closed: at once after an answer, one
   * second after it was accepted when nothing was received on it, in one second when a header is incomplete, and in one and a
   * half when a body is.
   */
  begin(): void
  /** Destroys every connection, upgraded ones too. */
  destroyAll(): void
}

type Connection = {
  readonly acceptedAt: number
  /** Requests that are not answered yet. */
  requests: number
  /** The last of them: no other one can be incomplete. */
  last: IncomingMessage | null
  /** Bytes received when the last answer was sent; null before the first answer. */
  answeredBytes: number | null
  /** Another protocol owns it, and ends it. */
  upgraded: boolean
}

/** What a peer gets for its first byte after connecting, and for the rest of a header that it has begun, in milliseconds. */
const QUIET_MS = 1_000
/** What it gets for the rest of a body. Whoever sends webhooks sends this one again. */
const BODY_MS = 1_500

/**
 * Tracks the connections of a server. Node's own `closeIdleConnections` leaves those open on which no request was ever
 * completed, such as preconnects of browsers and TCP probes, until the header timeout.
 */
export function drainConnections(server: Server): ConnectionDrain {
  const open = new Map<Socket, Connection>()
  let begunAt: number | null = null

  const endIfQuiet = (socket: Socket, connection: Connection, drainingSince: number) => {
    const { requests, last, answeredBytes, acceptedAt, upgraded } = connection
    if (upgraded || requests > 1 || (requests === 1 && last?.complete !== false)) return
    if (requests === 0 && answeredBytes === socket.bytesRead) return socket.destroySoon()
    const since = socket.bytesRead === 0 ? acceptedAt : drainingSince
    const left = since + (requests === 0 ? QUIET_MS : BODY_MS) - performance.now()
    if (left <= 0) return void socket.destroy()
    setTimeout(endIfQuiet, left, socket, connection, drainingSince)
  }

  server.on('connection', (socket) => {
    const connection: Connection = {
      acceptedAt: performance.now(),
      requests: 0,
      last: null,
      answeredBytes: null,
      upgraded: false,
    }
    open.set(socket, connection)
    socket.once('close', () => open.delete(socket))
    if (begunAt !== null) endIfQuiet(socket, connection, begunAt)
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const connection = open.get(socket)
    if (connection === undefined) return
    connection.requests += 1
    connection.last = request
    if (begunAt !== null) endIfQuiet(socket, connection, begunAt)
    response.once('close', () => {
      connection.requests -= 1
      connection.answeredBytes = socket.bytesRead
      if (begunAt !== null) endIfQuiet(socket, connection, begunAt)
    })
  })
  server.on('upgrade', ({ socket }) => {
    const connection = open.get(socket)
    if (connection !== undefined) connection.upgraded = true
  })

  return {
    begin() {
      begunAt = performance.now()
      for (const [socket, connection] of open) endIfQuiet(socket, connection, begunAt)
    },
    destroyAll() {
      for (const socket of open.keys()) socket.destroy()
    },
  }
}
