import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../src/ledger/store.ts'
import { delivery, report } from '../store/contract/builders.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { canMakeServer, createOwnServer, type OwnServer } from '../support/postgres-server.ts'
import type { Database } from '../support/postgres.ts'
import { openPostgresStore } from '../support/store.ts'

/** Half of `server_login_retry`, the time in which the pooler does not try again to reach a server. */
const NEXT_TRY_MS = 500

describe.skipIf(!canMakeServer() || !hasPgBouncer())('a PostgreSQL server that fails behind a pooler', () => {
  let own: OwnServer
  let pooler: PgBouncer
  let database: Database
  let stores: Store[]

  beforeAll(async () => {
    own = await createOwnServer()
    pooler = await startPgBouncer(own, { poolSize: 3, settings: ['server_login_retry = 1'] })
    database = await pooler.createDatabase()
  })
  beforeEach(async () => {
    stores = await Promise.all([0, 1].map(() => openPostgresStore({ url: database.url })))
  })
  afterEach(() => Promise.all(stores.map((store) => store.close())))
  afterAll(async () => {
    await pooler?.remove()
    await own?.remove()
  })

  const receive = (paymentId: string) =>
    Promise.allSettled(stores.map((store) => store.inbox.receive(delivery(report('pending', { paymentId })))))
  const read = (paymentId: string) => Promise.allSettled(stores.map((store) => store.payments.byIds([paymentId])))

  const refusedWith = (reason: string) =>
    stores.map(() => expect.objectContaining({ status: 'rejected', reason: expect.objectContaining({ reason }) }))
  const answered = () => stores.map(() => expect.objectContaining({ status: 'fulfilled' }))

  /** Asserts the pooler's answer after it has tried again to reach the server. */
  async function atLast(ask: () => Promise<PromiseSettledResult<unknown>[]>) {
    await expect.poll(ask, { interval: NEXT_TRY_MS }).toEqual(answered())
  }

  it('is told as down, and used again once it is back', async () => {
    expect(await receive('before')).toEqual(answered())
    await own.stop()
    expect(await receive('down')).toEqual(refusedWith('DOWN'))
    expect(await read('before')).toEqual(refusedWith('DOWN'))
    await own.start()
    await atLast(() => receive('back'))
    await atLast(() => read('before'))
    for (const store of stores) expect(await store.payments.byIds(['before', 'back'])).toHaveLength(2)
  })

  it('is told as read-only when a replica has taken its place, and written to again when that is over', async () => {
    expect(await receive('primary')).toEqual(answered())
    await own.stop()
    own.asReplica(true)
    await own.start()
    await expect.poll(() => receive('replica'), { interval: NEXT_TRY_MS }).toEqual(refusedWith('READ_ONLY'))
    await own.stop()
    own.asReplica(false)
    await own.start()
    await atLast(() => receive('primary-again'))
  })
})
