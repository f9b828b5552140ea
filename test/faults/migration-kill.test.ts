import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseMigration, readMigrations } from '../../src/store/migrate.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { sqliteFile } from '../store/contract/sqlite-fixture.ts'
import { FULL } from './rounds.ts'
import { seeded } from './seed.ts'

const CHILD = fileURLToPath(new URL('./migration-child.ts', import.meta.url))
const CUTS_IN_EVERY_RUN = 8

/** Replaces values that differ between databases: a log's id is random. */
const CHANGING = "log_id = 'any', opened_at = 0"

const BASELINE = readMigrations('sqlite')
const COLUMNS = Array.from(
  { length: 12 },
  (_, n) => `ALTER TABLE payments ADD COLUMN next_${n} INTEGER NOT NULL DEFAULT 7;`,
)
const NEXT_SQL = ['-- compatible', ...COLUMNS, 'CREATE INDEX payments_by_next ON payments (next_0);', ''].join('\n')
const NEXT = parseMigration('9001-next.sql', NEXT_SQL)

const BEGINNINGS = [
  ['an empty folder', async (path: string) => mkdirSync(dirname(path))],
  ['a database with the baseline', (path: string) => start(path, BASELINE)],
] as const

// promise(kept): `kill -9` at any statement of a migration leaves a database that the next start continues with.
describe.each(BEGINNINGS)('kill -9 in the migrations of %s', (_, prepare) => {
  it(
    'is made good by the next start, whichever statement it came before',
    async () => {
      const undisturbed = await sqliteFile()
      await prepare(undisturbed.path)
      await start(undisturbed.path)
      const expected = contents(undisturbed.path)
      await undisturbed.remove()

      const counted = await sqliteFile()
      await prepare(counted.path)
      const cuts = cutsOf(Number(startAndDie(counted.path).stdout))
      await counted.remove()

      for (const cut of cuts) {
        const { path, remove } = await sqliteFile()
        await prepare(path)
        expect(startAndDie(path, cut).signal, `statement ${cut}`).toBe('SIGKILL')
        await start(path)
        expect(contents(path), `statement ${cut}`).toEqual(expected)
        await remove()
      }
    },
    FULL ? 600_000 : 180_000,
  )
})

async function start(path: string, migrations = [...BASELINE, NEXT]): Promise<void> {
  const database = await openSqlite({ path, migrations, clock: () => new Date(0) })
  await database.close()
}

/**
 * Opens the store in a process that is killed before the given statement; without one the process ends normally and prints the number of
 * statements.
 */
function startAndDie(path: string, cut?: number) {
  return spawnSync(process.execPath, [CHILD, path, NEXT_SQL, ...(cut === undefined ? [] : [String(cut)])], {
    encoding: 'utf8',
  })
}

/** Returns the statements to kill at: all in a full run, otherwise some that are spread over all of them. */
function cutsOf(statements: number): number[] {
  expect(statements).toBeGreaterThan(CUTS_IN_EVERY_RUN)
  if (FULL) return Array.from({ length: statements }, (_, n) => n)
  const random = seeded(`a kill before some of ${statements} statements`)
  const width = statements / CUTS_IN_EVERY_RUN
  return Array.from({ length: CUTS_IN_EVERY_RUN }, (_, n) =>
    random.between(Math.floor(n * width), Math.floor((n + 1) * width) - 1),
  )
}

/** Returns every table, index and row. */
function contents(path: string): Record<string, unknown> {
  const database = new DatabaseSync(path)
  database.exec(`UPDATE meta SET ${CHANGING}`)
  const rows = (sql: string) => database.prepare(sql).all()
  const schema = rows('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name))
  const found = Object.fromEntries(tables.map((table) => [table, rows(`SELECT * FROM ${table} ORDER BY 1`)]))
  const faults = [...rows('PRAGMA foreign_key_check'), ...rows('PRAGMA integrity_check')]
  database.close()
  return { schema, faults, ...found }
}
