import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreUnusableError } from '../../../src/store/store-errors.ts'
import { type Database, findPostgres, type PostgresServer } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { openSqliteStore } from '../../support/store.ts'
import { sqliteFile } from '../contract/sqlite-fixture.ts'

const server = await findPostgres()

describe.skipIf(server === null)('a start on PostgreSQL', () => {
  let database: Database

  beforeAll(async () => void (database = await (server as PostgresServer).createDatabase()))
  afterAll(() => database.drop())

  /** Returns the reason why a start is refused; `parts` replaces parts of the database's URL. */
  async function refusal(parts: Partial<Record<'pathname' | 'username' | 'port', string>> = {}): Promise<string> {
    const url = Object.assign(new URL(database.url), { password: 'kanarie7', ...parts })
    const error = await openPostgresStore({ url: url.href }).then(
      (store) => store.close(),
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(StoreUnusableError)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('kanarie7')
    return error instanceof Error ? error.message : ''
  }

  it('says what is wrong with the address', async () => {
    expect(await refusal({ pathname: '/not_there' })).toMatch(/no such database \(3D000\)/)
    expect(await refusal({ username: 'nobody_there' })).toMatch(/refuses the user or the password \(28/)
    expect(await refusal({ port: '1' })).toMatch(/does not answer.*\(ECONNREFUSED\)/)
  })

  it('refuses commits that are not durable', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await database.run(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    expect(await refusal()).toMatch(/not durable: synchronous_commit is off/)
    await database.run(`ALTER DATABASE ${name} RESET synchronous_commit`)
  })

  it('refuses a database that a later version has changed', async () => {
    const { url } = database
    await (await openPostgresStore({ url })).close()
    await (await openPostgresStore({ url })).close()
    await database.run(`INSERT INTO migrations VALUES (9999, 'later', 0, 'breaking', 1)`)
    expect(await refusal()).toMatch(/later version/)
    await database.run('DELETE FROM migrations WHERE number = 9999')
  })

  it('makes the same tables with the same columns as SQLite', async () => {
    await (await openPostgresStore({ url: database.url })).close()
    const { path, remove } = await sqliteFile()
    await (await openSqliteStore({ path })).close()
    const sqlite = new DatabaseSync(path)
    const there = sqlite
      .prepare(
        `SELECT m.name || '.' || c.name || CASE WHEN c."notnull" OR c.pk THEN ' NOT NULL' ELSE '' END AS place
         FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
      )
      .all()
    const here = await database.run(
      `SELECT relname || '.' || attname || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS place
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
         AND attnum > 0 AND NOT attisdropped`,
    )
    const places = (rows: Record<string, unknown>[]) => rows.map(({ place }) => String(place)).toSorted()
    expect(places(here)).toEqual(places(there))
    sqlite.close()
    await remove()
  })
})
