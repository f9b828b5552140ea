import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { type Migration, readMigrations } from '../../../src/store/migrate.ts'
import { openPostgresStore } from '../../../src/store/postgres.ts'
import { openSqliteStore } from '../../../src/store/sqlite.ts'
import type { Store } from '../../../src/store/store.ts'
import { command, commandKey, NOW, present } from '../../contract/store/builders.ts'
import { sqliteFile } from '../../contract/store/sqlite-fixture.ts'
import { findPostgres } from '../../postgres.ts'

const server = await findPostgres()
const UNSCOPED = `INSERT INTO commands VALUES
  ('C1', 'createPaymentLink', 'key-old', 'fingerprint', 'SETTLED', 1, 'old', 'process-0', 0, 0, '{"linkId":"LINK-old"}')`

it('a key of SQLite from before keys belonged to a caller goes to the first who takes it', async () => {
  const { path, remove } = await sqliteFile()
  onTestFinished(remove)
  mkdirSync(dirname(path))
  const database = new DatabaseSync(path)
  database.exec(
    scriptOf('sqlite', 'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at INTEGER)'),
  )
  database.close()
  await testUpgraded(await openSqliteStore({ path, clock: () => NOW }))
})

it.skipIf(server === null)('and so does one of PostgreSQL', async () => {
  const database = await present(server).createDatabase()
  onTestFinished(() => database.drop())
  await database.run(
    scriptOf('postgres', 'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at BIGINT)'),
  )
  await testUpgraded(await openPostgresStore({ url: database.url, clock: () => NOW }))
})

/** A database as the version before left it, with a command. */
function scriptOf(kind: 'sqlite' | 'postgres', table: string): string {
  const migrations = readMigrations(new URL(`../../../src/store/migrations/${kind}/`, import.meta.url))
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name.endsWith('command-key-scopes.sql')),
  )
  expect(before.length).toBeGreaterThan(0)
  const record = ({ number, name }: Migration) => `INSERT INTO migrations VALUES (${number}, '${name}', 0)`
  return [table, ...before.flatMap((migration) => [migration.sql, record(migration)]), UNSCOPED].join(';\n')
}

async function testUpgraded(store: Store): Promise<void> {
  onTestFinished(() => store.close())
  const { commands } = store
  const [mine, other] = [
    commandKey('createPaymentLink', 'key-old'),
    commandKey('createPaymentLink', 'key-old', 'other'),
  ]
  const old = { id: 'C1', state: 'SETTLED', result: { linkId: 'LINK-old' } }
  for (const key of [mine, other]) expect(await commands.find(key)).toMatchObject({ ...old, keyScope: '' })

  const fresh = await commands.begin(command('new', { ...other }))
  expect(fresh).toMatchObject({ fresh: true, command: { keyScope: 'other' } })
  expect(await commands.find(other)).toMatchObject({ id: fresh.command.id })
  expect(await commands.hasNamesake(fresh.command)).toBe(true)

  expect(await commands.adopt('C1', mine.keyScope)).toBe(true)
  expect(await commands.adopt('C1', 'third')).toBe(false)
  expect(await commands.find(mine)).toMatchObject({ ...old, keyScope: mine.keyScope })
  expect(await commands.find({ ...mine, keyScope: 'third' })).toBeNull()
  expect(await commands.begin(command('again', { ...mine }))).toMatchObject({ fresh: false, command: old })
}
