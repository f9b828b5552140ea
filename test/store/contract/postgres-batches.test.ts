import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { type CountingProxy, startCountingProxy } from '../../support/counting-proxy.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { delivery, report, settledLink } from './builders.ts'

const server = await findPostgres()
const BATCH = 256

describe.skipIf(server === null)('a batch on PostgreSQL', () => {
  let database: Database
  let proxy: CountingProxy
  let store: Store

  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase()
    proxy = await startCountingProxy(database.url)
    store = await openPostgresStore({ url: proxy.url })
  })
  afterAll(async () => {
    await store?.close()
    await proxy?.close()
    await database?.drop()
  })

  /** Returns the round trips of a full batch of webhooks, about payments with and without a link. */
  async function roundTripsOf(status: string, ref: string): Promise<number> {
    const before = proxy.roundTrips
    const outcomes = await Promise.all(
      Array.from({ length: BATCH }, (_, index) =>
        store.inbox.receive(
          delivery(report(status, { paymentId: `P${index}` }), { ref: index % 4 === 0 ? ref : null }),
        ),
      ),
    )
    expect(outcomes.every(({ disposition }) => disposition === 'APPLIED')).toBe(true)
    return proxy.roundTrips - before
  }

  it(`of ${BATCH} webhooks takes as few round trips as one of a few`, async () => {
    await settledLink(store, 'a')
    // Opens the connection, which would otherwise be opened by the first batch.
    await store.inbox.receive(delivery(report('pending', { paymentId: 'first' })))
    expect(await roundTripsOf('pending', 'a')).toBeLessThanOrEqual(8)
    expect(await roundTripsOf('received', 'a')).toBeLessThanOrEqual(8)
    // All payments through the link but one are duplicates, each with an event of its own.
    expect(await store.log.head()).toBe(2 * BATCH + 2 + BATCH / 4 - 1)
  })
})
