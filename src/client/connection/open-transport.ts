import type { OpenConnection } from './connection.ts'
import { openPolling } from './transports/polling.ts'
import { openEvents } from './transports/server-sent-events.ts'
import { openSocket } from './transports/socket.ts'

/** How updates arrive: over a WebSocket, as server-sent events, or by polling. */
export type Transport = 'socket' | 'sse' | 'polling'

/** Every transport, the best first. */
export const TRANSPORTS: readonly Transport[] = ['socket', 'sse', 'polling']

const CONNECTIONS: Readonly<Record<Transport, OpenConnection>> = {
  socket: openSocket,
  sse: openEvents,
  polling: openPolling,
}

/** Returns how to open a connection over a transport, and the connection state to report for it. */
export function connectionOver(transports: readonly Transport[], index: number) {
  const name = transports[index] ?? 'polling'
  return { open: CONNECTIONS[name], carrying: name === 'polling' ? ('polling' as const) : ('live' as const) }
}
