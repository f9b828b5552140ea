import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { ANSWER_MS, clientConfig, createSockets } from '../../../src/store/postgres/postgres-connection.ts'
import { openReader } from '../../../src/store/postgres/writer.ts'
import { StoreFailure } from '../../../src/store/store-errors.ts'
import { delivery, NOW, report } from '../../store/contract/builders.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'

const server = await findPostgres()
/** Connections that the pooler takes. */
const PLACES = 40

describe.skipIf(server === null || !hasPgBouncer())('stores behind a pooler in transaction mode', () => {
  let pooler: PgBouncer
  let database: Database
  const stores: Store[] = []

  beforeAll(async () => {
    if (server === null) return
    pooler = await startPgBouncer(server, { poolSize: 3, settings: [`max_client_conn = ${PLACES}`] })
    database = await pooler.createDatabase()
  })
  afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())))
  afterAll(async () => {
    await database?.drop()
    await pooler?.remove()
  })

  async function open(url = database.url): Promise<Store> {
    const store = await openPostgresStore({ url, clock: () => NOW })
    stores.push(store)
    return store
  }

  const receive = (store: Store, paymentId: string) => store.inbox.receive(delivery(report('pending', { paymentId })))

  const idsOf = (run: string) => Array.from({ length: 60 }, (_, n) => `${run}-${n}`)
  const receiveAt = (n: number, paymentId: string) => receive(stores[n % stores.length] as Store, paymentId)

  /** Returns the ids of these payments that each store finds. */
  async function foundOf(ids: readonly string[]) {
    const found = await Promise.all(stores.map((store) => Promise.all(ids.map((id) => store.payments.byIds([id])))))
    return found.map((ofStore) => ofStore.flat().map(({ id }) => id))
  }

  /** Delivers webhooks in turn to each store and concurrently, and those that are refused again, as a sender does. */
  async function receiveAtLast(ids: readonly string[]) {
    const taken = new Map<string, unknown>()
    const inDoubt = new Set<string>()
    const deliver = async (paymentId: string, n: number) => {
      const outcome = await receiveAt(n, paymentId).catch((error: unknown) => error)
      if (!(outcome instanceof StoreFailure)) taken.set(paymentId, outcome)
      else if (outcome.reason === 'DOWN') inDoubt.add(paymentId)
    }
    const deliverLeft = async () => {
      await Promise.all(ids.filter((id) => !taken.has(id)).map(deliver))
      return taken.size
    }
    await expect.poll(deliverLeft).toBe(ids.length)
    for (const outcome of taken.values()) expect(outcome).toMatchObject({ disposition: 'APPLIED' })
    // Of a webhook that got no answer an earlier delivery may have been stored.
    const certain = [...taken].filter(([id]) => !inDoubt.has(id))
    for (const [, outcome] of certain) expect(outcome).toMatchObject({ repeat: false })
  }

  it.each([null, 'transaction'])('prepare no statement, and leave no setting behind (pooler=%s)', async (said) => {
    const { read, close } = readerOf(said === null ? database.url : `${database.url}?pooler=${said}`)
    expect(await read()).toEqual({ seqscan: 'off', lock: '3s', statement: '3500ms', prepared: 0 })
    await (await open()).ping()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(FACTS)
    expect(rows).toEqual([{ seqscan: 'on', lock: '0', statement: '0', prepared: 0 }])
    await client.end()
    await close()
  })

  it('prepare their statements, and set the session, where no pooler is noticed', async () => {
    const direct = new URL(database.url)
    direct.host = new URL(server?.address ?? '').host
    const { read, close } = readerOf(direct.href)
    expect(await read()).toEqual({ seqscan: 'off', lock: '3s', statement: '3500ms', prepared: 1 })
    await close()
  })

  it.each(['session', 'transaction-prepared'])(
    'lose nothing, and take no statement for another, where the address wrongly says pooler=%s',
    async (said) => {
      // A database of its own, since these settings of sessions must not reach the other tests' stores.
      const { url, drop } = await pooler.createDatabase()
      await Promise.all(Array.from({ length: 3 }, () => open(`${url}?pooler=${said}`)))
      for (const round of ['first', 'second']) {
        const ids = idsOf(`${said}-${round}`)
        await receiveAtLast(ids)
        for (const ofStore of await foundOf(ids)) expect(ofStore).toEqual(ids)
      }
      await drop()
    },
  )

  it('are used again after the pooler was restarted, with all that was acknowledged', async () => {
    await Promise.all([open(), open()])
    const acknowledged: string[] = []
    for (let round = 0; round < 3; round += 1) {
      const ids = idsOf(`restart-${round}`)
      const during = Promise.allSettled(ids.map((id, n) => receiveAt(n, id)))
      await receive(stores[0] as Store, `before-${round}`).catch(() => {})
      await pooler.stop()
      await during
      for (const store of stores) await expect(receive(store, 'down')).rejects.toMatchObject({ reason: 'DOWN' })
      for (const store of stores) await expect(store.ping()).rejects.toMatchObject({ reason: 'DOWN' })
      await pooler.start()
      const received = await Promise.all(ids.map((id, n) => receiveAt(n, id)))
      expect(received).toEqual(ids.map(() => expect.objectContaining({ disposition: 'APPLIED' })))
      for (const ofStore of await foundOf(ids)) expect(ofStore).toEqual(ids)
      acknowledged.push(...ids)
    }
    const told = await database.run(
      `SELECT substr(stream_id, 9) AS id FROM events WHERE stream_id LIKE 'payment:restart-%'`,
    )
    expect(told.map(({ id }) => String(id)).toSorted()).toEqual(acknowledged.toSorted())
  })
})

/** The settings of a session, and the number of these queries that it has prepared. */
const FACTS = `SELECT current_setting('enable_seqscan') AS seqscan, current_setting('lock_timeout') AS lock,
  current_setting('statement_timeout') AS statement,
  (SELECT count(*)::int FROM pg_prepared_statements WHERE statement LIKE '%current_setting%') AS prepared`

/** Creates a reader of these facts that queries as the store does. */
function readerOf(url: string) {
  const sockets = createSockets()
  const { db, close } = openReader(clientConfig(url, sockets, ANSWER_MS))
  return {
    read: async () => (await sql`${sql.raw(FACTS)} WHERE ${'a'} = 'a'`.execute(db)).rows[0],
    async close() {
      await close()
      sockets.close()
    },
  }
}
