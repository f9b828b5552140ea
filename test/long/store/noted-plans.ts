import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { fillDatabase, fillingOf } from '../../../bench/support/fill-database.ts'
import type { Db } from '../../../src/store/group-commit.ts'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { queriesOn as postgresQueries } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { queriesOn as sqliteQueries } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import type { PostgresServer } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'

const FILLING = fillingOf(3_000)

/** A filled database whose queries note the steps of their plans. */
export type Noted = {
  readonly db: Db
  readonly plans: readonly string[]
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Returns a connection that adds the plan of each statement that it prepares to `plans`. */
export function notingPlans(database: DatabaseSync, plans: string[]): DatabaseSync {
  const prepare = (sql: string) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    plans.push(...steps.map(({ detail }) => String(detail)))
    return database.prepare(sql)
  }
  return new Proxy(database, { get: (target, name) => (name === 'prepare' ? prepare : Reflect.get(target, name)) })
}

/** Fills a SQLite file, which is removed after the test, with 3,000 payments and what `more` adds. */
export async function notedSqlite(more: readonly string[]): Promise<Noted> {
  const file = await sqliteFile()
  await (await openSqliteStore({ path: file.path })).close()
  const database = new DatabaseSync(file.path)
  onTestFinished(async () => {
    database.close()
    await file.remove()
  })
  await fillDatabase((sql) => database.exec(sql), FILLING)
  for (const sql of more) database.exec(sql)
  const plans: string[] = []
  return { plans, db: sqliteQueries(notingPlans(database, plans)), run: async (sql) => database.prepare(sql).all() }
}

/** The same on PostgreSQL, where each query is run twice. */
export async function notedPostgres(server: PostgresServer, more: readonly string[]): Promise<Noted> {
  const { url, drop } = await server.createDatabase()
  await (await openPostgresStore({ url })).close()
  const client = new Client({ connectionString: url })
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  await client.connect()
  await fillDatabase((sql) => client.query(sql), FILLING)
  for (const sql of [...more, 'ANALYZE', setForSession(PLANNING)]) await client.query(sql)
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
  return { plans, db, run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows }
}
