import { DatabaseSync } from 'node:sqlite'
import { sqliteFile } from '../store/contract/sqlite-fixture.ts'
import type { Database } from '../support/postgres.ts'
import type { KillableAppOptions } from './killable-app.ts'

type Row = Readonly<Record<string, unknown>>

/** A database of an app, which is open in no process of the test. */
export type KilledDatabase = {
  readonly app: KillableAppOptions
  rows(sql: string): Promise<readonly Row[]>
  /** What happens before another process takes over what the killed one has done alone. */
  afterKill(): Promise<unknown>
  remove(): Promise<void>
}

/** Returns a SQLite file, which is not there yet, for apps with these settings. */
export async function killedSqlite(env: Readonly<Record<string, string>> = {}): Promise<KilledDatabase> {
  const { path, remove } = await sqliteFile()
  return {
    app: { path, env },
    async rows(sql) {
      const database = new DatabaseSync(path, { readOnly: true })
      try {
        return database.prepare(sql).all()
      } finally {
        database.close()
      }
    },
    afterKill: async () => {},
    remove,
  }
}

/** Returns a database of PostgreSQL, which its owner drops, for apps with these settings. */
export function killedPostgres(
  { url, run }: Pick<Database, 'url' | 'run'>,
  env: Readonly<Record<string, string>> = {},
): KilledDatabase {
  return {
    app: { path: '', env: { ...env, DATABASE_URL: url } },
    rows: run,
    // As if the lease of the killed process had expired.
    afterKill: () => run('DELETE FROM leases'),
    remove: async () => {},
  }
}
