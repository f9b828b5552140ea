import type { Socket } from 'node:net'
import type { TrackedConnection, Connections } from './track-connections.ts'

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
