import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { PostgresServer } from '../../../test/support/postgres.ts'
import { openPostgresStore } from '../../../test/support/store.ts'
import { openSqliteStore } from '../../../test/support/store.ts'
import { fillDatabase, type Filling, instantOf, START } from '../fill-database.ts'

/** A database of the bench that contains some payments already. */
export type BenchDatabase = {
  /** URL for DATABASE_URL. */
  readonly url: string
  /** Returns the numbers of rows that were added since the last call, or since the database was filled. */
  stored(): Promise<Stored>
  /** Returns the size in bytes, with all indexes. */
  size(): Promise<number>
  remove(): Promise<void>
}

/** `payments` counts those in the last status. */
export type Stored = { readonly deliveries: number; readonly events: number; readonly payments: number }

type Query = (sql: string) => Promise<Readonly<Record<string, unknown>> | undefined>

/** Creates a SQLite file with these payments. */
export async function createSqlite(filling: Filling): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const path = join(folder, 'payments.db')
  await (await openSqliteStore({ path })).close()
  const filled = new DatabaseSync(path)
  // Without a write-ahead log, which would contain all data a second time. The product sets WAL again when it opens the file.
  filled.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN')
  await fillDatabase((sql) => filled.exec(sql), filling)
  filled.exec('COMMIT')
  filled.close()
  const query: Query = async (sql) => {
    const reading = new DatabaseSync(path, { readOnly: true })
    try {
      return reading.prepare(sql).get()
    } finally {
      reading.close()
    }
  }
  return {
    url: `file:${path}`,
    stored: await countStored(query),
    async size() {
      const row = await query('SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size')
      return Number(row?.['size'])
    },
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

/** Creates a database with these payments on a server, in a partition for each of their months. */
export async function createPostgres(server: PostgresServer, filling: Filling): Promise<BenchDatabase> {
  const { url, run, drop } = await server.createDatabase()
  const store = await openPostgresStore({ url })
  for (const month of monthsOf(filling)) await store.retention.prepare(month)
  await store.close()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('SET synchronous_commit = off')
  await fillDatabase((sql) => client.query(sql), filling)
  await client.end()
  // Otherwise the server would do this during the measurement.
  await run('VACUUM ANALYZE')
  await run('CHECKPOINT')
  const query: Query = async (sql) => (await run(sql))[0]
  return {
    url,
    stored: await countStored(query),
    async size() {
      return Number((await query('SELECT pg_database_size(current_database()) AS size'))?.['size'])
    },
    remove: drop,
  }
}

/** Returns an instant in each month of the payments, and the last one. */
function monthsOf(filling: Filling): Date[] {
  const [first, last] = [new Date(START), new Date(instantOf(filling, filling.payments))]
  const months = 12 * (last.getUTCFullYear() - first.getUTCFullYear()) + last.getUTCMonth() - first.getUTCMonth()
  return Array.from(
    { length: months + 1 },
    (_, n) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + n)),
  )
}

async function countStored(query: Query): Promise<() => Promise<Stored>> {
  const newest = async () => {
    const row = await query(`SELECT (SELECT max(number) FROM deliveries) AS deliveries,
      (SELECT max(position) FROM events) AS events, (SELECT max(number) FROM payments) AS payments`)
    return {
      deliveries: Number(row?.['deliveries']),
      events: Number(row?.['events']),
      payments: Number(row?.['payments']),
    }
  }
  let before = await newest()
  return async () => {
    const row = await query(`SELECT
      (SELECT count(*) FROM deliveries WHERE number > ${before.deliveries}) AS deliveries,
      (SELECT count(*) FROM events WHERE position > ${before.events}) AS events,
      (SELECT count(*) FROM payments WHERE number > ${before.payments} AND phase = 'SUCCEEDED') AS payments`)
    before = await newest()
    return {
      deliveries: Number(row?.['deliveries']),
      events: Number(row?.['events']),
      payments: Number(row?.['payments']),
    }
  }
}
