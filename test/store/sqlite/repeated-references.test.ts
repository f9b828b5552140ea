import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { postgresTransaction } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { PAYMENTS } from '../../../src/store/rows/payment-rows.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'
import { delivery, report } from '../contract/builders.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'

let file: SqliteFile

beforeEach(async () => {
  file = await sqliteFile()
})

afterEach(() => file.remove())

it('keeps only the first payment with a reference out of the indexes of lists, so that the rest is read in their order', async () => {
  const store = await openSqliteStore({ path: file.path })
  const said = (paymentId: string, status: string, reference: string | null) =>
    store.inbox.receive(delivery(report(status, { paymentId, details: { reference } })))
  const ids = Array.from({ length: 30 }, (_, n) => `P${n}`)
  await Promise.all(ids.map((id, n) => said(id, 'pending', n % 3 === 0 ? `order-${n}` : null)))
  await Promise.all(ids.map((id) => said(id, 'received', id === 'P0' ? 'order-0' : 'Donation')))
  await Promise.all(Array.from({ length: 20 }, (_, n) => said(`Q${n}`, 'pending', 'DONATION')))
  await store.close()

  const database = new DatabaseSync(file.path, { readOnly: true })
  const rows = database
    .prepare(
      'SELECT reference, reference_repeats AS repeats, count(*) AS count FROM payments GROUP BY 1, 2 ORDER BY 1, 2',
    )
    .all()
  database.close()
  expect(rows).toMatchObject([
    { reference: 'DONATION', repeats: 1, count: 20 },
    { reference: 'Donation', repeats: 1, count: 29 },
    { reference: 'order-0', repeats: 0, count: 1 },
  ])
})

const server = await findPostgres()

it.skipIf(server === null)(
  'looks a reference up by its index on PostgreSQL, also where it planned with an empty table',
  async () => {
    if (server === null) return
    const { url, drop } = await server.createDatabase()
    await (await openPostgresStore({ url })).close()
    const client = new Client({ connectionString: url })
    onTestFinished(async () => {
      await client.end()
      await drop()
    })
    await client.connect()
    await client.query(setForSession(PLANNING))
    const plan: unknown[] = []
    const run = async (sql: string, parameters: readonly unknown[] = []) => {
      const { rows } = await client.query<Record<string, unknown>>(`EXPLAIN ${sql}`, [...parameters])
      plan.push(...rows.map((row) => row['QUERY PLAN']))
      return { command: '', rowCount: 0, rows: [] }
    }
    const transaction = postgresTransaction(() => ({ run }))
    await transaction.store([{ spec: PAYMENTS, inserted: [{ id: 'P1' }], updated: [], deleted: [] }])
    expect(plan.join('\n')).toMatch(/Limit .*\n.*Index Scan using payments_search_reference on payments other/)
    expect(plan.join('\n')).not.toContain('hashed')
  },
)
