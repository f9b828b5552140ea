import type { Socket } from 'node:net'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** A proxy between one client and its server that can behave like a network that is cut: no packet arrives, and no connection is closed. */
export type PartitionProxy = TcpProxy & {
  /** From now on, nothing arrives at either side. A new connection is accepted by the network, and its server never hears of it. */
  cut(): void
  /** Everything sent meanwhile arrives, as after the retransmissions of TCP. */
  heal(): void
}

export async function startPartitionProxy(url: string): Promise<PartitionProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) }, (client, upstream) => {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('close', () => sockets.delete(from))
      from.on('data', (chunk) => to.write(chunk))
      if (isCut) from.pause()
    }
  })
  return {
    ...proxy,
    cut() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    heal() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
  }
}
