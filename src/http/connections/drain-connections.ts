import type { Socket } from 'node:net'
import type { TrackedConnection, Connections } from './track-connections.ts'

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

/** What a peer gets for its first byte after connecting, and for the rest of a header that it has begun, in milliseconds. */
const QUIET_MS = 1_000
/** What it gets for the rest of a body. Whoever sends webhooks sends this one again. */
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
