/**
 * Stores four webhooks of each new payment at the default URL, and prints how many bytes of the database each webhook takes, by table and
 * index: `npm run bench -- storage [payments]`. Uses a SQLite file below the folder for temporary files, and the tests' PostgreSQL server
 * if it answers; both databases are removed at the end.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findPostgres } from '../test/support/postgres.ts'
import { openPostgresStore } from '../test/support/store.ts'
import { openSqliteStore } from '../test/support/store.ts'
import { receivePaymentWebhooks, WEBHOOK_STATUSES } from './support/payment-webhooks.ts'

const PAYMENTS = Number(process.argv[3] ?? 3_000)
const WEBHOOKS = PAYMENTS * WEBHOOK_STATUSES.length

/** Number of VACUUMs. They replace autovacuum, which runs when a share of the rows is dead, and so rarely within a minute of webhooks. */
const VACUUMS = 10

type Size = { readonly name: string; readonly bytes: number }

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const path = join(folder, 'payments.db')
  const store = await openSqliteStore({ path })
  const empty = sizesIn(path)
  await receivePaymentWebhooks(store, PAYMENTS)
  await store.close()
  print('SQLite', empty, sizesIn(path))
  rmSync(folder, { recursive: true })
}

/**
 * Returns the size of each table and index. The name of an index follows the name of its table, because SQLite's own indexes are numbered.
 */
function sizesIn(path: string): Size[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare(`
    SELECT tbl_name || CASE type WHEN 'index' THEN ' ' || dbstat.name ELSE '' END AS name, sum(pgsize) AS bytes
    FROM dbstat JOIN sqlite_master ON sqlite_master.name = dbstat.name GROUP BY dbstat.name ORDER BY 1`)
  const sizes = rows.all().map(toSize)
  database.close()
  return sizes
}

const POSTGRES_SIZES = `
  SELECT relname AS name, pg_table_size(oid) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT indrelid::regclass || ' ' || indexrelid::regclass, pg_relation_size(indexrelid) FROM pg_index
    JOIN pg_class ON pg_class.oid = indrelid AND relnamespace = 'public'::regnamespace
  ORDER BY 1`

async function onPostgres(): Promise<void> {
  const database = await (await findPostgres())?.createDatabase()
  if (database === undefined) return
  const sizes = async () => (await database.run(POSTGRES_SIZES)).map(toSize)
  const store = await openPostgresStore({ url: database.url })
  const empty = await sizes()
  for (let part = 0; part < VACUUMS; part += 1) {
    await receivePaymentWebhooks(store, PAYMENTS / VACUUMS)
    await database.run('VACUUM')
  }
  await store.close()
  print('PostgreSQL', empty, await sizes())
  await database.run('VACUUM FULL')
  print('PostgreSQL after VACUUM FULL', empty, await sizes())
  await database.drop()
}

function toSize({ name, bytes }: Record<string, unknown>): Size {
  return { name: String(name), bytes: Number(bytes) }
}

function print(title: string, before: readonly Size[], after: readonly Size[]): void {
  const start = new Map(before.map(({ name, bytes }) => [name, bytes]))
  const grown = after.map(({ name, bytes }) => ({ name, bytes: (bytes - (start.get(name) ?? 0)) / WEBHOOKS }))
  console.log(`\n${title}: bytes for each of ${WEBHOOKS} webhooks`)
  for (const { name, bytes } of grown) if (bytes >= 1) console.log(`${bytes.toFixed(0).padStart(7)}  ${name}`)
  console.log(
    `${grown
      .reduce((sum, { bytes }) => sum + bytes, 0)
      .toFixed(0)
      .padStart(7)}  in all`,
  )
}

await onSqlite()
await onPostgres()
