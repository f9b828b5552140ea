import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** An address that must not be called, and a record of every connection that this process opens. */
export type Canary = {
  readonly url: string
  /** Returns how often the address was called. */
  readonly calls: () => number
  /** Returns the targets of connections and DNS look-ups, except the ports of the given URLs on 127.0.0.1. */
  strays(known: readonly string[]): string[]
  close(): void
}

/** Watches the whole process: the record includes connections of the app and of the test. */
export async function startCanary(): Promise<Canary> {
  let calls = 0
  const targets = new Set<string>()
  const server = createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('lookup', (_error, _address, _family, host) => void targets.add(`looked up ${host}`))
    socket.once('connect', () => void targets.add(`${socket.remoteAddress}:${socket.remotePort}`))
  }
  subscribe('net.client.socket', onSocket)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    strays: (known) =>
      [...targets].filter((target) => !known.some((url) => target === `127.0.0.1:${new URL(url).port}`)),
    close() {
      unsubscribe('net.client.socket', onSocket)
      server.close()
    },
  }
}
