import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Sender } from './load.ts'
import { startProduct } from './processes.ts'
import { faultsOf } from './rounds.ts'
import type { Target } from './targets.ts'

type CountOptions = { readonly program: string; readonly seconds: number; readonly cleanUp: AsyncDisposableStack }

/**
 * Round trips between the product and PostgreSQL for each webhook, at its maximum rate. Nothing else may have the database of
 * the target open; throws when a webhook was not stored.
 */
export async function roundTripsPerWebhook(
  sender: Sender,
  target: Target,
  { program, seconds, cleanUp }: CountOptions,
): Promise<number> {
  const proxy = await startCountingProxy(target.database?.url ?? '')
  cleanUp.defer(() => proxy.close())
  const product = await startProduct(program, proxy.url, cleanUp)
  const before = proxy.roundTrips
  const load = { seconds, perSecond: null, expectedPerSecond: EXPECTED_PER_SECOND, again: false }
  const { totals } = await sender.measure({ urls: [product.url], pids: [product.pid] }, load)
  const roundTrips = proxy.roundTrips - before
  await product.stop()
  const faults = await faultsOf({ target, sent: totals })
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return roundTrips / totals.webhooks
}

const EXPECTED_PER_SECOND = 8_000

/** A way to a PostgreSQL server that counts how often somebody waits for it. */
type CountingProxy = {
  /** The address of a database by this way. */
  readonly url: string
  /** Round trips so far, over all connections: what is sent without waiting for an answer in between is one. */
  readonly roundTrips: number
  close(): Promise<void>
}

/** Starts a proxy in front of the server of a database. */
async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
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
