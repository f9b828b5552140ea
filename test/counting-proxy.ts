import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a PostgreSQL server that counts how often somebody waits for it. */
export type CountingProxy = {
  /** The address of a database by this way. */
  readonly url: string
  /** Round trips so far, over all connections: what is sent without waiting for an answer in between is one. */
  readonly roundTrips: number
  close(): Promise<void>
}

/** Starts a proxy in front of the server of a database. */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const address = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let roundTrips = 0
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: address.hostname, port: Number(address.port), noDelay: true })
    let isAnswered = true
    client.on('data', (chunk) => {
      if (isAnswered) roundTrips += 1
      isAnswered = false
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      isAnswered = true
      client.write(chunk)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    get roundTrips() {
      return roundTrips
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
