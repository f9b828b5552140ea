import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy on this machine. */
export type TcpProxy = {
  /** Returns a URL with the proxy in place of its host and port. */
  through(url: string): string
  close(): Promise<void>
}

/**
 * Starts a proxy of a server; `target` is read for each connection. `join` gets both sides of each connection, and forwards their data. If one side ends, the other is closed,
 * too.
 */
export async function startTcpProxy(
  target: { readonly host: string; readonly port: number },
  join: (client: Socket, upstream: Socket) => void,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    join(client, upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    through(url) {
      const address = new URL(url)
      address.host = `127.0.0.1:${port}`
      return address.href
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
