import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

/** Environment variable with the path of an empty database that has all migrations; it is set while tests run. */
const MIGRATED = 'TEST_MIGRATED_DATABASE'

/** Makes the database that `createMigrated` copies. Returns what removes it. */
export async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-migrated-'))
  const path = join(folder, 'payments.db')
  await (await openSqlite({ path })).close()
  process.env[MIGRATED] = path
  return () => rmSync(folder, { recursive: true })
}

/** Creates an empty database in a tenth of the time that its migrations take. It differs from the other ones in the id of its log. */
export function createMigrated(path: string): void {
  const migrated = process.env[MIGRATED]
  if (migrated === undefined) return
  mkdirSync(dirname(path), { recursive: true })
  copyFileSync(migrated, path)
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = OFF; UPDATE meta SET log_id = lower(hex(randomblob(16)))')
  database.close()
}
