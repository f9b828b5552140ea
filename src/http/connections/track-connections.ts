import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** The state of one connection. */
export type TrackedConnection = {
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
