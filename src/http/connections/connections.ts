import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { createConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { peerName } from '../server/peer-name.ts'

export type ConnectionLimit = {
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
