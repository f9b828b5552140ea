import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Network } from '../support/network.ts'
import type { Database } from '../support/postgres.ts'
import type { Canaries } from './canaries.ts'

type Row = Readonly<Record<string, unknown>>
type WithFolder = Pick<Network, 'folder'>

/** A database as an attacker with full access sees it. */
export type Storage = {
  /** Settings of the app that uses it. */
  readonly env: Readonly<Record<string, string>>
  rows(network: WithFolder, query: string): Promise<readonly Row[]>
  /** Returns every column that is not empty, as `table.column`, with all of its values. */
  columns(network: WithFolder): Promise<readonly (readonly [column: string, text: string])[]>
  /** Returns every byte of its files, including replaced rows and free pages. */
  bytes(network: WithFolder): Promise<string>
  /** Replaces values of rows by a text, like a fault of the disk or of a tool. */
  breakRows(network: WithFolder, text: string): Promise<void>
}

/** Returns the places whose canaries occur in each column, by `table.column`, without columns that have none. */
export async function foundInColumns(
  canaries: Canaries,
  storage: Storage,
  network: WithFolder,
): Promise<Map<string, readonly string[]>> {
  const columns = await storage.columns(network)
  return new Map(
    columns
      .map(([column, text]) => [column, canaries.foundIn(text).toSorted()] as const)
      .filter(([, places]) => places.length > 0),
  )
}

/** The SQLite file in the app's folder. */
export const SQLITE: Storage = {
  env: {},
  async rows({ folder }, query) {
    const db = new DatabaseSync(join(folder, 'payments.db'), { readOnly: true })
    try {
      return db.prepare(query).all()
    } finally {
      db.close()
    }
  },
  columns: (network) =>
    columnsOf(`SELECT name FROM sqlite_master WHERE type = 'table'`, (query) => SQLITE.rows(network, query)),
  bytes: async ({ folder }) =>
    readdirSync(folder)
      .map((file) => readFileSync(join(folder, file)).toString('latin1'))
      .join('\n'),
  async breakRows({ folder }, text) {
    const db = new DatabaseSync(join(folder, 'payments.db'))
    db.prepare(`UPDATE agreements SET state_json = json_object('status', ?)`).run(text)
    db.prepare(`UPDATE payments SET state_json = json_object('amount', ?, 'provisional', 0)`).run(text)
    db.close()
  },
}

/** Returns a database of a PostgreSQL server. */
export function onPostgres({ url, run }: Database): Storage {
  return {
    env: { DATABASE_URL: url },
    rows: (_network, query) => run(query),
    columns: () =>
      columnsOf(
        `SELECT relname AS name FROM pg_class
          WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
        run,
      ),
    async bytes() {
      await run('CHECKPOINT')
      const files = await run(`
        SELECT pg_read_binary_file(pg_relation_filepath(oid)) AS content FROM pg_class
        WHERE relkind IN ('r', 'i', 't') AND relnamespace IN ('public'::regnamespace, 'pg_toast'::regnamespace)`)
      return files.map(({ content }) => textOf(content)).join('\n')
    },
    async breakRows(_network, text) {
      await run(`UPDATE agreements SET state_json = json_build_object('status', '${text}')`)
      await run(`UPDATE payments SET state_json = json_build_object('amount', '${text}', 'provisional', false)`)
    },
  }
}

async function columnsOf(tables: string, run: (query: string) => Promise<readonly Row[]>) {
  const names = (await run(tables)).map(({ name }) => String(name))
  const found = names.map(async (table) => {
    const rows = await run(`SELECT * FROM "${table}"`)
    const columns = Object.keys(rows[0] ?? {})
    return columns.map((name) => [`${table}.${name}`, rows.map((row) => textOf(row[name])).join('\n')] as const)
  })
  return (await Promise.all(found)).flat()
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  return typeof value === 'string' ? value : (JSON.stringify(value, bigIntText) ?? '')
}

function bigIntText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
