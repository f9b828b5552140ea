import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { startPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { defaultAddress, deliver, deliveries, paymentBody } from '../support/webhooks.ts'
import { rounds } from './rounds.ts'

const server = await findPostgres()
const ROUNDS = rounds({ few: 5, many: 200 })

// promise(kept): A connection lost during COMMIT is answered with 503, and the repeat is recognised if the commit
// succeeded.
describe.skipIf(server === null)('a connection that is cut while a webhook is committed', () => {
  let database: Database
  let proxy: PostgresProxy
  let network: Network

  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase()
    const { hostname, port } = new URL(database.url)
    proxy = await startPostgresProxy({ host: hostname, port: Number(port) })
    network = await startNetwork({ env: { DATABASE_URL: proxy.through(database.url) } })
  })
  afterAll(async () => {
    await network?.close()
    await proxy?.close()
    await database?.drop()
  })

  /** Sends a webhook whose commit is cut, and the same bytes again. Returns both statuses, and the number of rows after the first. */
  async function sendTwice(when: 'before' | 'after') {
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    const { cuts } = proxy
    proxy.cutCommitOf(uuid, when)
    const first = await deliver(defaultAddress(network), body)
    expect(proxy.cuts).toBe(cuts + 1)
    const stored = await database.run(`SELECT attempts FROM deliveries WHERE subject_id = '${uuid}'`)
    const second = await deliver(defaultAddress(network), body)
    return { uuid, first: first.status, stored: stored.length, second: second.status }
  }

  async function eventsOf(uuid: string): Promise<number> {
    return (await database.run(`SELECT 1 FROM events WHERE stream_id = 'payment:${uuid}'`)).length
  }

  it('is answered 503, and the repeat is recognised when it had been committed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { uuid, ...answers } = await sendTwice('after')
      expect(answers).toEqual({ first: 503, stored: 1, second: 200 })
      expect(await deliveries(network, [uuid])).toMatchObject([{ attempts: 2, disposition: 'APPLIED' }])
      expect(await eventsOf(uuid)).toBe(1)
    }
  })

  it('is answered 503, and the repeat is stored when it had not been committed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { uuid, ...answers } = await sendTwice('before')
      expect(answers).toEqual({ first: 503, stored: 0, second: 200 })
      expect(await deliveries(network, [uuid])).toMatchObject([{ attempts: 1, disposition: 'APPLIED' }])
      expect(await eventsOf(uuid)).toBe(1)
    }
  })
})
