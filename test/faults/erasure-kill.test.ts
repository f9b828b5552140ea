import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/ledger/store.ts'
import { delivery, report } from '../store/contract/builders.ts'
import { erase, erasures, type ErasureNode } from '../support/erasures.ts'
import { askAt, token } from '../support/network.ts'
import { findPostgres } from '../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../support/store.ts'
import { type KillableApp, startApp } from './killable-app.ts'
import { type KilledDatabase, killedPostgres, killedSqlite } from './killed-database.ts'

/** So many that the background takes dozens of transactions. */
const PAYMENTS = 4_000
const AT_ONCE = 500
const EMAIL = 'ada@example.test'

type Place = KilledDatabase & { open(): Promise<Store> }

async function onSqlite(): Promise<Place> {
  const database = await killedSqlite()
  return { ...database, open: () => openSqliteStore({ path: database.app.path }) }
}

const server = await findPostgres()
const database = await server?.createDatabase({ migrated: true })
afterAll(() => database?.drop())

async function onPostgres(): Promise<Place> {
  if (database === undefined) throw new Error('There is no server.')
  const { url } = database
  return { ...killedPostgres(database), open: () => openPostgresStore({ url }) }
}

async function fill(store: Store): Promise<void> {
  for (let at = 0; at < PAYMENTS; at += AT_ONCE) {
    const payer = { name: 'Ada Payer', email: EMAIL }
    const reports = Array.from({ length: AT_ONCE }, (_, index) =>
      report('failed', { paymentId: `P${at + index}`, payer }),
    )
    await Promise.all(reports.map((said) => store.inbox.receive(delivery(said, { receivedAt: new Date() }))))
  }
  await store.close()
}

const PLACES: readonly (readonly [name: string, place: () => Promise<Place>])[] = [
  ['SQLite', onSqlite],
  ...(database === undefined ? [] : [['PostgreSQL', onPostgres] as const]),
]

describe.each(PLACES)('kill -9 while payers are erased, on %s', (_name, placed) => {
  it('leaves a record, by which the next process erases the rest', async () => {
    const place = await placed()
    await fill(await place.open())
    const first = await startApp(place.app)
    const begun = await erase(asker(first), 'EMAIL', EMAIL)
    expect((await first.kill()).signal).toBe('SIGKILL')
    expect(begun.state).toBe('RUNNING')
    expect(begun.payers).toBeGreaterThan(0)
    const [left] = await place.rows('SELECT done_at, payers, value FROM erasures')
    expect(left).toMatchObject({ done_at: null, value: EMAIL })
    const [named] = await place.rows('SELECT count(*) AS count FROM payment_payers WHERE email IS NOT NULL')
    expect(Number(named?.['count'])).toBe(PAYMENTS - Number(left?.['payers']))

    await place.afterKill()
    const second = await startApp(place.app)
    const record = async (): Promise<ErasureNode | undefined> => (await erasures(asker(second))).nodes[0]
    await expect.poll(record).toMatchObject({ id: begun.id, state: 'DONE', payers: PAYMENTS })
    await second.kill('SIGTERM')
    expect(await place.rows('SELECT * FROM payment_payers WHERE name IS NOT NULL OR email IS NOT NULL')).toEqual([])
    expect(await place.rows('SELECT value, cursor FROM erasures')).toEqual([{ value: null, cursor: null }])
    await place.remove()
  })
})

function asker({ url }: KillableApp & { readonly url: string }) {
  return { ask: askAt(() => url), token }
}
