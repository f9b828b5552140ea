import { startTcpProxy } from './tcp-proxy.ts'

/** A proxy of a PostgreSQL server that counts round trips. */
export type CountingProxy = {
  /** URL of the database through the proxy. */
  readonly url: string
  /** Number of round trips so far, over all connections. Data that is sent without an answer in between counts as one. */
  readonly roundTrips: number
  close(): Promise<void>
}

/** Starts a proxy of the server of a database. */
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
