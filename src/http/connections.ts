import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { peerName } from './peer.ts'

export type ConnectionLimit = {
  /** Connections that one address may have open; 0 sets no limit. */
  readonly perAddress: number
  /** Whether an address is a proxy of ours, which has connections for many. */
  readonly isProxy: (address: string | undefined) => boolean
  readonly onRefused: () => void
}

/** Closes what one address opens beyond its share, before a byte of it is read. WebSockets count, too. */
export function limitConnections(server: Server, { perAddress, isProxy, onRefused }: ConnectionLimit): void {
  if (perAddress === 0) return
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) return
    const peer = peerName(socket.remoteAddress)
    const count = (open.get(peer) ?? 0) + 1
    if (count > perAddress) {
      onRefused()
      socket.destroy()
      return
    }
    open.set(peer, count)
    socket.once('close', () => {
      const left = (open.get(peer) ?? 0) - 1
      if (left > 0) open.set(peer, left)
      else open.delete(peer)
    })
  })
}
