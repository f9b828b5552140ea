import { startTcpProxy } from './tcp-proxy.ts'

/** A way to a PostgreSQL server that counts round trips. */
export type CountingProxy = {
  /** The address of a database by this way. */
  readonly url: string
  /** Round trips so far, over all connections: what is sent without waiting for an answer in between is one. */
  readonly roundTrips: number
  close(): Promise<void>
}

/** Starts a proxy in front of the server of a database. */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const { hostname: host, port } = new URL(databaseUrl)
  let roundTrips = 0
  const proxy = await startTcpProxy({ host, port: Number(port) }, (client, upstream) => {
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
  })
  return {
    url: proxy.through(databaseUrl),
    get roundTrips() {
      return roundTrips
    },
    close: proxy.close,
  }
}
