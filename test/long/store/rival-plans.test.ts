import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { fillDatabase, fillingOf } from '../../../bench/support/fill-database.ts'
import type { Command } from '../../../src/domain/command.ts'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { queriesOn as postgresQueries } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { hasRival } from '../../../src/store/queries/command-queries.ts'
import { queriesOn as sqliteQueries } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'

/** Every fiftieth payment has a refund: far more commands than may be read. */
const FILLING = fillingOf(3_000)
const SINCE = Date.UTC(2031, 0, 1)
const COMMAND = { id: 'C-none', mutation: 'createPaymentLink', result: { linkId: 'LINK-none' } } as unknown as Command

it('whether a command has a rival is looked up by index on SQLite', async () => {
  const file = await sqliteFile()
  await (await openSqliteStore({ path: file.path })).close()
  const database = new DatabaseSync(file.path)
  onTestFinished(async () => {
    database.close()
    await file.remove()
  })
  await fillDatabase((sql) => database.exec(sql), FILLING)
  const plans: unknown[] = []
  const noting = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            plans.push(...target.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
            return target.prepare(sql)
          }
        : Reflect.get(target, name),
  })
  expect(await hasRival(sqliteQueries(noting), COMMAND, SINCE)).toBe(false)
  const searches = plans.map((step) => (step as { detail: string }).detail).filter((step) => step.includes('commands'))
  expect(searches).toEqual([
    'SEARCH commands USING INDEX commands_by_mutation (mutation=? AND state=?)',
    'SEARCH commands USING INDEX commands_by_mutation (mutation=? AND state=? AND sent_at>?)',
  ])
})

const server = await findPostgres()

it.skipIf(server === null)('on PostgreSQL no command is read that is neither open nor recent', async () => {
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
  await client.query('ANALYZE')
  await client.query(setForSession(PLANNING))
  const plans: string[] = []
  const run = async (sql: string, parameters: readonly unknown[] = []) => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, [
      ...parameters,
    ])
    plans.push(...rows.map((row) => row['QUERY PLAN']))
    const { command, rowCount, rows: found } = await client.query<Record<string, unknown>>(sql, [...parameters])
    return { command, rowCount, rows: found }
  }
  const db = postgresQueries(() => Promise.resolve({ connection: { run }, release: () => {} }))
  expect(await hasRival(db, COMMAND, SINCE)).toBe(false)
  expect(plans.join('\n')).toContain('commands_by_mutation')
  expect(plans.filter((step) => step.includes('Removed by Filter') || step.includes('Seq Scan'))).toEqual([])
})
