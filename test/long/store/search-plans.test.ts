import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { fillDatabase, fillingOf } from '../../../bench/support/fill-database.ts'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { queriesOn as postgresQueries } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { searchPayments } from '../../../src/store/queries/payment-search.ts'
import { queriesOn as sqliteQueries } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { SEARCH_FIELDS } from '../../../src/store/store.ts'
import { sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'

const FILLING = fillingOf(3_000)
const PAYERS = `INSERT INTO payment_payers (payment_id, name, email)
  SELECT id, 'Ada Payer ' || number, 'ada-' || number || '@example.test' FROM payments`

/** Texts that few and many rows begin with; the accented one has several spellings. */
const TEXTS = ['order-12', 'PAY-', 'link-1', 'ada', 'payer 7', 'É']
const LIMIT = 10
const asked = (text: string) => ({ text, fields: SEARCH_FIELDS, limit: LIMIT })

const BY_TEXT =
  /^SEARCH (payments|links|payment_payers) USING (COVERING )?INDEX (\1_by_\w+|sqlite_autoindex_\1_1) \((<expr>|id)>\? AND (<expr>|id)<\?\)$/
const BY_ID = /^SEARCH (payments|links) USING INDEX sqlite_autoindex_\1_1 \(id=\?\)$/
const FRAME = /^(COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|(CO-ROUTINE|SCAN) found)$/

it('a text is looked up by index on SQLite', async () => {
  const file = await sqliteFile()
  await (await openSqliteStore({ path: file.path })).close()
  const database = new DatabaseSync(file.path)
  onTestFinished(async () => {
    database.close()
    await file.remove()
  })
  await fillDatabase((sql) => database.exec(sql), FILLING)
  database.exec(PAYERS)
  const plans: string[] = []
  const noting = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            const steps = target.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
            plans.push(...steps.map(({ detail }) => String(detail)))
            return target.prepare(sql)
          }
        : Reflect.get(target, name),
  })
  for (const text of TEXTS) {
    const { matches } = await searchPayments(sqliteQueries(noting), 'instr', asked(text))
    expect({ text, isFound: matches.length > 0 }).toEqual({ text, isFound: text !== 'É' })
  }
  expect(plans.filter((step) => ![BY_TEXT, BY_ID, FRAME].some((pattern) => pattern.test(step)))).toEqual([])
})

const server = await findPostgres()

it.skipIf(server === null)('on PostgreSQL little more is read than what is found', async () => {
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
  await client.query(PAYERS)
  await client.query('ANALYZE')
  await client.query(setForSession(PLANNING))
  const plans: string[] = []
  const run = async (sql: string, parameters: readonly unknown[] = []) => {
    const explained = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, [
      ...parameters,
    ])
    plans.push(...explained.rows.map((row) => row['QUERY PLAN']))
    const { command, rowCount, rows } = await client.query<Record<string, unknown>>(sql, [...parameters])
    return { command, rowCount, rows }
  }
  const db = postgresQueries(() => Promise.resolve({ connection: { run }, release: () => {} }))
  for (const text of TEXTS) await searchPayments(db, 'strpos', asked(text))
  const names = ['reference', 'other_reference'].map((name) => `payments_by_${name}`)
  const ofPayers = ['name', 'second_word', 'third_word', 'last_word', 'email'].map(
    (name) => `payment_payers_by_${name}`,
  )
  for (const index of [...names, ...ofPayers, 'links_by_reference', 'payments_id_key', 'links_id_key'])
    expect(plans.join('\n')).toContain(index)
  expect(plans.filter((step) => /Seq Scan|Sort/.test(step))).toEqual([])
  // Payments of which the amount is not known, at most 5 in 100.
  const removed = plans.flatMap((step) => /Removed by Filter: (\d+)/.exec(step)?.[1] ?? [])
  expect(Math.max(0, ...removed.map(Number))).toBeLessThanOrEqual(LIMIT)
})
