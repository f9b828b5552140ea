import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { fillDatabase, fillingOf } from '../../../bench/support/fill-database.ts'
import type { Db } from '../../../src/store/group-commit.ts'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { queriesOn as postgresQueries } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { nextSubjects } from '../../../src/store/retention/erasure-queries.ts'
import { queriesOn as sqliteQueries } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'

const FILLING = fillingOf(3_000)

/** An owner of every thousandth link, and a payer of every thousandth payment; the others have owners and addresses of their own. */
const FILL = [
  ...['payments', 'agreements'].map(
    (table) => `UPDATE ${table} SET owner_id = CASE WHEN number % 1000 = 7 THEN 'owner' ELSE 'owner-' || number END`,
  ),
  `INSERT INTO payment_payers (payment_id, name, email)
    SELECT id, 'Ada Payer', CASE WHEN number % 1000 = 7 THEN 'Ada@example.test' ELSE 'ada-' || number || '@example.test' END FROM payments`,
]

type Case = Parameters<typeof nextSubjects>[1] & { readonly count: number }

/** Returns erasures of each kind, and how many payments or agreements their first slice has. `linkId` is a link with a payment. */
function casesOf(linkId: string): Case[] {
  const start = { cursor: null }
  return [
    { ...start, kind: 'EMAIL', value: 'ada@example.test', count: 3 },
    { ...start, kind: 'LINK', value: linkId, count: 1 },
    { ...start, kind: 'OWNER', value: 'owner', count: 3 },
    { kind: 'OWNER', value: 'owner', cursor: 'payments:1500', count: 1 },
    { kind: 'OWNER', value: 'owner', cursor: 'agreements:0', count: 2 },
  ]
}

async function countOf(db: Db, erasure: Case): Promise<number> {
  const { payments, agreements } = (await nextSubjects(db, erasure)).subjects
  return payments.length + agreements.length
}

it('whom an erasure is about is looked up by index on SQLite', async () => {
  const file = await sqliteFile()
  await (await openSqliteStore({ path: file.path })).close()
  const database = new DatabaseSync(file.path)
  onTestFinished(async () => {
    database.close()
    await file.remove()
  })
  await fillDatabase((sql) => database.exec(sql), FILLING)
  for (const sql of FILL) database.exec(sql)
  const [link] = database.prepare(`SELECT id FROM links WHERE number = 7`).all()
  const plans: string[] = []
  const noting = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            plans.push(
              ...target
                .prepare(`EXPLAIN QUERY PLAN ${sql}`)
                .all()
                .map(({ detail }) => String(detail)),
            )
            return target.prepare(sql)
          }
        : Reflect.get(target, name),
  })
  for (const erasure of casesOf(String(link?.['id'])))
    expect(await countOf(sqliteQueries(noting), erasure)).toBe(erasure.count)
  expect(new Set(plans)).toEqual(
    new Set([
      'SEARCH payment_payers USING INDEX payment_payers_by_email (<expr>=?)',
      'SEARCH links USING INDEX sqlite_autoindex_links_1 (id=?)',
      'SEARCH payments USING INDEX payments_by_link (link_ref=?)',
      'SEARCH payments USING INDEX payments_by_owner (owner_id=? AND <expr>>?)',
      'SEARCH agreements USING INDEX agreements_by_owner (owner_id=? AND <expr>>?)',
    ]),
  )
})

const server = await findPostgres()

it.skipIf(server === null)('on PostgreSQL nothing is read but whom an erasure is about', async () => {
  if (server === null) return
  const { url, drop } = await server.createDatabase()
  await (await openPostgresStore({ url })).close()
  const client = new Client({ connectionString: url })
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  await client.connect()
  await fillDatabase((sql) => client.query(sql), FILLING)
  for (const sql of FILL) await client.query(sql)
  await client.query('ANALYZE')
  await client.query(setForSession(PLANNING))
  const { rows: links } = await client.query<{ id: string }>('SELECT id FROM links WHERE number = 7')
  const plans: string[] = []
  const run = async (sql: string, parameters: readonly unknown[] = []) => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, [
      ...parameters,
    ])
    plans.push(...rows.map((row) => row['QUERY PLAN']))
    const { command, rowCount, rows: all } = await client.query<Record<string, unknown>>(sql, [...parameters])
    return { command, rowCount, rows: all }
  }
  const db = postgresQueries(() => Promise.resolve({ connection: { run }, release: () => {} }))
  for (const erasure of casesOf(links[0]?.id ?? '')) expect(await countOf(db, erasure)).toBe(erasure.count)
  for (const index of ['payment_payers_by_email', 'payments_by_owner', 'agreements_by_owner', 'payments_by_link'])
    expect(plans.join('\n')).toContain(index)
  expect(plans.filter((step) => step.includes('Removed by Filter') || step.includes('Seq Scan'))).toEqual([])
})
