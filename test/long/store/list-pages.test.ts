import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDatabase, fillingOf, instantOf, SHARED_REFERENCE } from '../../../bench/support/fill-database.ts'
import { type ListPage, READERS } from '../../../bench/support/list-cases.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { LOOKED_AT } from '../../../src/store/queries/read-page.ts'
import { present } from '../../store/contract/builders.ts'
import { sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'

/** More than a page looks at, in the tables of payments, links, events and deliveries. */
const FILLING = fillingOf(6_000)
const MIDDLE = new Date(instantOf(FILLING, 3_000))
const LIMIT = 7
const clock = () => new Date(instantOf(FILLING, FILLING.payments))

/**
 * Payments of one instant; one reference in both columns, in one of them of more than a page looks at; matches on both sides of where a page
 * stops looking; and two events of a kind that no other has.
 */
const CHANGES = [
  `UPDATE payments SET updated_at = ${MIDDLE.getTime() - 1} WHERE number BETWEEN 500 AND 2500`,
  `UPDATE payments SET reference = '${SHARED_REFERENCE}' WHERE reference IS NOT NULL`,
  `UPDATE payments SET other_reference = '${SHARED_REFERENCE}', phase = 'DISPUTED' WHERE number IN (9, 3009)`,
  `UPDATE deliveries SET disposition = 'SET_ASIDE' WHERE number IN (${4 * FILLING.payments - LOOKED_AT}, ${4 * FILLING.payments - LOOKED_AT + 1})`,
  `UPDATE events SET kind = 'AGREEMENT_AMENDED' WHERE position IN (3, 30000)`,
]

/** A filled database: its store, and a connection that is asked directly. */
type Filled = { readonly store: Store; run(sql: string): Promise<Record<string, unknown>[]>; close(): Promise<void> }

async function onSqlite(): Promise<Filled> {
  const file = await sqliteFile()
  await (await openSqliteStore({ path: file.path })).close()
  const database = new DatabaseSync(file.path)
  await fillDatabase((sql) => database.exec(sql), FILLING)
  for (const sql of CHANGES) database.exec(sql)
  const store = await openSqliteStore({ path: file.path, clock })
  return {
    store,
    run: async (sql) => database.prepare(sql).all(),
    async close() {
      database.close()
      await store.close()
      await file.remove()
    },
  }
}

const server = await findPostgres()

async function onPostgres(): Promise<Filled> {
  const { url, drop } = await present(server).createDatabase()
  const store = await openPostgresStore({ url, clock })
  const client = new Client({ connectionString: url })
  await client.connect()
  await fillDatabase((sql) => client.query(sql), FILLING)
  for (const sql of CHANGES) await client.query(sql)
  return {
    store,
    run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    async close() {
      await client.end()
      await store.close()
      await drop()
    },
  }
}

type Place = ListPage['next']
type Read = (place: Place) => Promise<ListPage>

/** Follows the cursors of a list to its end. `between` is called with the rows so far after each page. */
async function follow(read: Read, between: (ids: readonly string[]) => Promise<unknown> = async () => {}) {
  const ids: string[] = []
  const places: string[] = []
  let place: Place = null
  do {
    const page = await read(place)
    expect(page.rows.length).toBeLessThanOrEqual(LIMIT)
    ids.push(...page.rows.map(idOf))
    place = page.next
    places.push(JSON.stringify(place))
    await between(ids)
  } while (place !== null)
  expect(new Set(places).size).toBe(places.length)
  return { ids, pages: places.length }
}

function idOf(row: unknown): string {
  const { id } = (row as { row?: { id: string } }).row ?? (row as { id: string })
  return id
}

const PAYMENTS = 'SELECT id FROM payments WHERE amount IS NOT NULL AND'
const EVENTS = `SELECT stream_id || '.' || sequence AS id, position FROM`
const BY_CHANGE = 'ORDER BY updated_at DESC, number DESC'
const BY_NUMBER = 'ORDER BY number DESC'
/** A page with a reference looks at half as many rows with it in each of two columns. */
const HALF = LOOKED_AT / 2

type Case = { readonly list: string; readonly filter: object; readonly sql: string; readonly lookedAt?: number }

/** Filters: what they find in the whole table, and how many rows a page looks at. */
const CASES: readonly Case[] = [
  {
    list: 'payments',
    filter: { phases: ['DISPUTED'], updatedBefore: MIDDLE },
    sql: `${PAYMENTS} phase = 'DISPUTED' AND updated_at < ${MIDDLE.getTime()} ${BY_CHANGE}`,
  },
  {
    list: 'payments',
    filter: { phases: ['EXPIRED'], updatedFrom: new Date(0) },
    sql: `${PAYMENTS} phase = 'EXPIRED' ${BY_CHANGE}`,
  },
  {
    list: 'payments',
    filter: { phases: ['DISPUTED', 'REFUNDING'] },
    sql: `${PAYMENTS} phase IN ('DISPUTED', 'REFUNDING') ${BY_NUMBER}`,
  },
  {
    list: 'payments',
    filter: { reference: SHARED_REFERENCE, phases: ['DISPUTED'] },
    sql: `${PAYMENTS} phase = 'DISPUTED' AND '${SHARED_REFERENCE}' IN (reference, other_reference) ${BY_NUMBER}`,
    lookedAt: HALF,
  },
  {
    list: 'payments',
    filter: { reference: SHARED_REFERENCE, phases: ['REFUNDED'], updatedFrom: MIDDLE },
    sql: `${PAYMENTS} '${SHARED_REFERENCE}' IN (reference, other_reference) AND phase = 'REFUNDED'
      AND updated_at >= ${MIDDLE.getTime()} ${BY_NUMBER}`,
    lookedAt: HALF,
  },
  {
    list: 'paymentLinks',
    filter: { phases: ['DISPUTED'] },
    sql: `SELECT id FROM links WHERE payment_phase = 'DISPUTED' ${BY_NUMBER}`,
  },
  {
    list: 'paymentLinks',
    filter: { phases: ['EXPIRED'], createdBefore: MIDDLE },
    sql: `SELECT id FROM links WHERE created_at < ${MIDDLE.getTime()} AND coalesce(payment_phase, 'EXPIRED') = 'EXPIRED'
      ORDER BY created_at DESC, number DESC`,
  },
  {
    list: 'recordedPayouts',
    filter: { site: 'nz', currency: 'AUD' },
    sql: `SELECT id FROM payout_records WHERE site = 'nz'`,
  },
  {
    list: 'webhookDeliveries',
    filter: { dispositions: ['SET_ASIDE'] },
    sql: `SELECT id FROM deliveries WHERE disposition = 'SET_ASIDE' ${BY_NUMBER}`,
  },
  { list: 'paymentEvents', filter: { kinds: ['AGREEMENT_CREATED'] }, sql: `${EVENTS} events WHERE 1 = 0` },
  {
    list: 'paymentEvents',
    filter: { kinds: ['AGREEMENT_AMENDED', 'PAYOUT_CREATED'] },
    sql: `SELECT id FROM (${EVENTS} payout_events UNION ALL ${EVENTS} events WHERE kind = 'AGREEMENT_AMENDED') AS found
      ORDER BY position DESC`,
  },
]

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('lists on %s', (name, open) => {
  const isMissing = name === 'PostgreSQL' && server === null
  let filled: Filled

  beforeAll(async () => {
    if (!isMissing) filled = await open()
  }, 60_000)

  afterAll(async () => {
    if (!isMissing) await filled.close()
  })

  const reading =
    (list: string, filter: object): Read =>
    (before) =>
      present(READERS[list])(filled.store, filter, { limit: LIMIT, before })

  it.skipIf(isMissing).each(CASES)(
    'of $list with $filter give every row by following cursors',
    async ({ list, filter, sql, lookedAt = LOOKED_AT }) => {
      const { ids, pages } = await follow(reading(list, filter))
      expect(ids).toEqual((await filled.run(sql)).map(({ id }) => id))
      const looked = (6 * FILLING.payments) / lookedAt
      expect(pages).toBeLessThanOrEqual(2 + ids.length / LIMIT + looked)
    },
  )

  it.skipIf(isMissing)('read the log forwards past events of other kinds', async () => {
    const { log } = filled.store
    const { ids } = await follow(async (place) => {
      const { events, next } = await log.read(place?.number ?? 0, LIMIT, { kinds: ['AGREEMENT_AMENDED'] })
      return { rows: events, next: next === null ? null : { number: next } }
    })
    expect(ids).toEqual(['link:ref-1.3', 'agreement:agr-5000.1'])
  })

  it.skipIf(isMissing)('give what is there at the beginning once, while rows are added and changed', async () => {
    const [first] = await filled.run(`${PAYMENTS} phase = 'REFUNDED' ${BY_CHANGE} LIMIT 1`)
    const expected = (await filled.run(`${PAYMENTS} phase = 'REFUNDED' ${BY_CHANGE}`)).map(({ id }) => id)
    let added = 0
    const { ids } = await follow(
      reading('payments', { phases: ['REFUNDED'], updatedFrom: new Date(0) }),
      async (seen) => {
        added += 1
        // A new payment, and one that was seen and moves to the front.
        await filled.run(`INSERT INTO payments (id, stream_id, state_json, phase, rank, amount, created_at, updated_at)
        SELECT 'NEW-${added}', 's', state_json, 'REFUNDED', 6, '1', 0, ${MIDDLE.getTime() * 2} FROM payments WHERE id = '${String(first?.['id'])}'`)
        await filled.run(`UPDATE payments SET updated_at = ${MIDDLE.getTime() * 2} WHERE id = '${seen[0] ?? ''}'`)
      },
    )
    expect(added).toBeGreaterThan(5)
    expect(ids).toEqual(expected)
  })
})
