import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a PostgreSQL server that can be cut in the moment of a commit. */
export type PostgresProxy = {
  /** The address of a database, by this way. */
  through(url: string): string
  /**
   * Cuts the connection that commits what holds a text: before the server has heard of the commit, or after it has answered,
   * and nobody else has.
   */
  cutCommitOf(text: string, when: Moment): void
  /** How many commits were cut so far. */
  readonly cuts: number
  close(): Promise<void>
}

type Moment = 'before' | 'after'

/** The frame of a simple query: its type, its length with itself, the text, and a zero (protocol version 3.0). */
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1')

export async function startPostgresProxy(target: { host: string; port: number }): Promise<PostgresProxy> {
  let armed: { readonly text: string; readonly when: Moment } | null = null
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target)
    const cut = () => {
      cuts += 1
      client.destroy()
      upstream.destroy()
    }
    let heard = ''
    let dropAnswer = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (armed !== null && chunk.includes(armed.text)) heard = armed.text
      if (armed !== null && heard === armed.text && chunk.includes(COMMIT)) {
        const { when } = armed
        armed = null
        if (when === 'before') return cut()
        dropAnswer = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (dropAnswer) cut()
      else client.write(chunk)
    })
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
    cutCommitOf(text, when) {
      armed = { text, when }
    },
    get cuts() {
      return cuts
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
