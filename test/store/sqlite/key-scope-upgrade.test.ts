import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { openSqliteStore } from '../../support/store.ts'
import { command, commandKey, NOW, present } from '../contract/builders.ts'
import { sqliteFile } from '../contract/sqlite-fixture.ts'
import { scriptBefore } from './script-before.ts'

const server = await findPostgres()
const MINE = commandKey('createPaymentLink', 'key-old')
const UPGRADED = { id: 'C1', state: 'SETTLED', result: { linkId: 'LINK-old' }, keyScope: '' }
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
  const store = await openSqliteStore({ path, clock: () => NOW })
  expect(await store.commands.find(MINE)).toMatchObject(UPGRADED)
  await testUpgraded(store)
})

it.skipIf(server === null)('and so does one of PostgreSQL', async () => {
  const database = await present(server).createDatabase()
  onTestFinished(() => database.drop())
  await database.run(
    scriptOf('postgres', 'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at BIGINT)'),
  )
  const store = await openPostgresStore({ url: database.url, clock: () => NOW })
  expect(await store.commands.find(MINE)).toMatchObject(UPGRADED)
  await testUpgraded(store)
})

/** Returns the statements of a database with a command, as the previous version left it. */
function scriptOf(kind: 'sqlite' | 'postgres', table: string): string {
  return [...scriptBefore('command-key-scopes', kind, table), UNSCOPED].join(';\n')
}

async function testUpgraded(store: Store): Promise<void> {
  onTestFinished(() => store.close())
  const { commands } = store
  const other = { ...MINE, keyScope: 'other' }
  expect(await commands.find(other)).toMatchObject(UPGRADED)

  const fresh = await commands.begin(command('new', { ...other }))
  expect(fresh).toMatchObject({ fresh: true, command: { keyScope: 'other' } })
  expect(await commands.find(other)).toMatchObject({ id: fresh.command.id })
  expect(await commands.hasNamesake(fresh.command)).toBe(true)

  expect(await commands.adopt('C1', MINE.keyScope)).toBe(true)
  expect(await commands.adopt('C1', 'third')).toBe(false)
  expect(await commands.find(MINE)).toMatchObject({ ...UPGRADED, keyScope: MINE.keyScope })
  expect(await commands.find({ ...MINE, keyScope: 'third' })).toBeNull()
  expect(await commands.begin(command('again', { ...MINE }))).toMatchObject({ fresh: false, command: { id: 'C1' } })
}
