import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startSandbox } from 'payments-subgraph-sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SECRETS } from '../support/app-settings.ts'
import { findPostgres, type PostgresServer } from '../support/postgres.ts'
import { type Child, MAIN_FROM_SOURCES, settingsFor, startReady, temporaryFolder } from '../support/process.ts'
import { startLoad, type Load } from './node-load.ts'
import { followLog } from './process-client.ts'
import { casesOf } from './rounds.ts'

const server = await findPostgres()
/** One of the two in most runs: each starts four programs from their sources. */
const databases = casesOf('the database of an upgrade', ['PostgreSQL', 'SQLite'], 1)
const TOLERATED = 'the database was migrated by a later version and is compatible with this one'
const NUMBER = 9001
const TIMEOUT_MS = 300_000
const ROOT = join(import.meta.dirname, '../..')

type Node = Child & { readonly url: string }
type Rows = (sql: string) => Promise<Record<string, unknown>[]>

/** This program, a next one with a migration more, and what both are started with. */
async function stage(
  databaseUrl: (folder: string) => string,
  next: (tables: readonly string[]) => Record<string, string>,
) {
  const folder = temporaryFolder()
  const sandbox = await startSandbox({ webhookSecret: SECRETS.webhook })
  onTestFinished(() => sandbox.close())
  const env = { ...settingsFor(sandbox, folder), DATABASE_URL: databaseUrl(folder) }
  return {
    last: (): Promise<Node> => startReady({ env, main: MAIN_FROM_SOURCES }),
    /** Returns the function that starts the next version, whose migration changes these tables. */
    nextWith(tables: readonly string[]) {
      const main = copyProgram(join(folder, 'next'), next(tables))
      return (): Promise<Node> => startReady({ env, main })
    },
  }
}

/**
 * Writes the program of this checkout to a folder, with further migrations: paths below `src/store/migrations/` and their texts.
 * Returns the path of its entry.
 */
function copyProgram(folder: string, migrations: Readonly<Record<string, string>>): string {
  mkdirSync(folder)
  for (const part of ['src', 'package.json', 'schema.graphql'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  for (const [path, text] of Object.entries(migrations)) writeFileSync(join(folder, 'src/store/migrations', path), text)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'src/main.ts')
}

async function stop(node: Node): Promise<void> {
  node.child.kill('SIGTERM')
  expect(await node.ended).toMatchObject({ code: 0, signal: null })
}

/** Follows the log from node to node, each time from the cursor of the last one; the first call reads no events. */
function createReader() {
  const events: string[] = []
  let cursor: string | undefined
  return {
    events,
    async read({ url }: Node): Promise<void> {
      const stream = await followLog(url, cursor)
      for (const item of stream.items) {
        if (item.kind === 'EVENT') events.push(item.event?.id ?? '')
        if (item.kind === 'RESYNC_REQUIRED') throw new Error('The log was not continued.')
        cursor = item.cursor
      }
      await stream.end()
    },
  }
}

/** Fails unless everything that was acknowledged is stored, and the log is whole and was read once. */
async function judge(rows: Rows, load: Load, read: readonly string[]): Promise<void> {
  expect(load.faults).toEqual([])
  const ids = async (sql: string) => new Set((await rows(sql)).map(({ id }) => String(id)))
  const payments = await ids('SELECT id FROM payments')
  expect([...load.payments].filter((id) => !payments.has(id))).toEqual([])
  expect(await ids('SELECT id FROM links')).toEqual(load.links)
  const [log] = await rows(
    'SELECT count(*) AS events, max(position) AS last, (SELECT position FROM log_head) AS head FROM events',
  )
  const events = Number(log?.['events'])
  expect([log?.['last'], log?.['head']].map(Number)).toEqual([events, events])
  expect(await rows('SELECT stream_id FROM events GROUP BY stream_id HAVING count(*) <> max(sequence)')).toEqual([])
  expect(read).toHaveLength(events)
  expect(new Set(read).size).toBe(events)
}

// promise(kept): This version and one with another compatible migration run side by side, forward and back, and lose
// nothing.
describe('this version and a next one on one database', () => {
  it.runIf(server !== null && databases.includes('PostgreSQL'))(
    'of PostgreSQL run side by side under load, and back, and lose nothing',
    async () => {
      const database = await (server as PostgresServer).createDatabase()
      onTestFinished(() => database.drop())
      const { last, nextWith } = await stage(() => database.url, postgresMigrations)
      const reader = createReader()
      const nodes = await Promise.all([last(), last()])
      await reader.read(nodes[0])
      const load = startLoad(nodes.map(({ url }) => url))
      const leave = async (node: Node) => {
        load.nodes.delete(node.url)
        await stop(node)
      }
      const enter = async (node: Node) => {
        load.nodes.add(node.url)
        await load.more()
        await reader.read(node)
      }
      await load.more()
      const tables = await database.run(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'migrations'",
      )

      const next = nextWith(tables.map(({ name }) => String(name)))
      const first = await next()
      expect(first.output()).toContain(`"version":${NUMBER}`)
      await enter(first)

      await leave(nodes[0])
      const restarted = await last()
      expect(restarted.output()).toMatch(new RegExp(`"versions":\\[[^\\]]*${NUMBER}.*${TOLERATED}`))
      await enter(restarted)

      await leave(first)
      await load.more()
      await reader.read(nodes[1])

      const second = await next()
      await enter(second)
      await leave(nodes[1])
      await leave(restarted)
      await load.more()
      await load.stop()
      await reader.read(second)
      await judge(database.run, load, reader.events)
      await stop(second)
    },
    TIMEOUT_MS,
  )

  it.runIf(databases.includes('SQLite'))(
    'of SQLite follow each other, and back, and lose nothing',
    async () => {
      let path = ''
      const { last, nextWith } = await stage(
        (folder) => `file:${(path = join(folder, 'payments.db'))}`,
        sqliteMigrations,
      )
      const reader = createReader()
      const first = await last()
      await reader.read(first)
      const load = startLoad([first.url])
      const rows: Rows = async (sql) => {
        const file = new DatabaseSync(path, { readOnly: true })
        const found = file.prepare(sql).all()
        file.close()
        return found
      }
      const replace = async (node: Node, start: () => Promise<Node>): Promise<Node> => {
        await load.more()
        await reader.read(node)
        load.nodes.clear()
        await stop(node)
        const other = await start()
        load.nodes.add(other.url)
        return other
      }
      const tables = await rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations'",
      )
      const next = nextWith(tables.map(({ name }) => String(name)))
      const second = await replace(first, next)
      expect(second.output()).toContain(`"version":${NUMBER}`)
      const third = await replace(second, last)
      expect(third.output()).toMatch(new RegExp(`"versions":\\[[^\\]]*${NUMBER}.*${TOLERATED}`))
      const fourth = await replace(third, next)
      await load.more()
      await load.stop()
      await reader.read(fourth)
      await stop(fourth)
      await judge(rows, load, reader.events)
    },
    TIMEOUT_MS,
  )
})

/** What a compatible migration may do: columns in every table, another table, and on PostgreSQL an index in use. */
function postgresMigrations(tables: readonly string[]): Record<string, string> {
  return {
    [`${NUMBER}-next.sql`]: `${changes(tables)}
ALTER TABLE payments ADD CONSTRAINT payments_next CHECK (next >= 0) NOT VALID;
-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_by_next ON payments (next, updated_at);
-- step, long
ALTER TABLE payments VALIDATE CONSTRAINT payments_next;
`,
  }
}

function sqliteMigrations(tables: readonly string[]): Record<string, string> {
  return { [`${NUMBER}-next.sql`]: changes(tables) }
}

function changes(tables: readonly string[]): string {
  const columns = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN next INTEGER NOT NULL DEFAULT 7;`)
  return ['-- compatible', 'CREATE TABLE next_things (id TEXT NOT NULL PRIMARY KEY);', ...columns, ''].join('\n')
}
