import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** A database of one test. */
export type Database = {
  readonly url: string
  /** Runs statements as the server's administrator. Returns the rows of the last one. */
  run(sql: string): Promise<Record<string, unknown>[]>
  drop(): Promise<void>
}

export type DatabaseOptions = {
  /**
   * True if the database may have all migrations, which the store otherwise makes when it is opened first: on the server of the run that
   * takes a fifth of the processor time.
   */
  readonly migrated?: boolean
}

export type PostgresServer = {
  /** URL of the administrator. */
  readonly address: string
  /** Creates an empty database. */
  createDatabase(options?: DatabaseOptions): Promise<Database>
}

/**
 * Environment variables with the URL of the administrator of the server that `findPostgres` returns, and with the name of a database there
 * that has all migrations, if the run has started the server. They are set while tests run.
 */
export const ADDRESS = 'TEST_POSTGRES_URL'
export const MIGRATED = 'TEST_POSTGRES_MIGRATED'

/** The configured URL, that of a server without passwords, and that of compose.databases.yaml. */
const ADDRESSES = [
  process.env[ADDRESS],
  'postgres://postgres@127.0.0.1:5432/postgres',
  'postgres://payments:payments@127.0.0.1:5432/payments',
].filter((address) => address !== undefined)

/**
 * Returns the PostgreSQL server for tests. If there is none, throws under CI; elsewhere prints how to start one, and returns null: then the
 * suites that need it are skipped.
 */
export async function findPostgres(): Promise<PostgresServer | null> {
  for (const address of ADDRESSES) if (await answers(address)) return serverAt(address)
  missing('No PostgreSQL server answers', 'run `docker compose -f compose.databases.yaml up -d`')
  return null
}

/** Throws under CI; elsewhere prints why tests are skipped. */
export function missing(what: string, remedy: string): void {
  if (process.env['CI']) throw new Error(`${what}: ${remedy}.`)
  process.stderr.write(`${what}, so tests are skipped: ${remedy}.\n`)
}

/** Returns a server by the URL of its administrator. */
export function serverAt(address: string): PostgresServer {
  return { address, createDatabase: (options) => createDatabase(address, options) }
}

/** Text is sorted by the rules of a language, so that a query that relies on another order fails. */
const LOCALE = `TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`

/** Makes a copy of a database another one: with the id of another log, which was nowhere yet. */
const ANOTHER = `UPDATE meta SET log_id = replace(gen_random_uuid()::text, '-', ''); DELETE FROM log_branches`

async function createDatabase(address: string, { migrated = false }: DatabaseOptions = {}): Promise<Database> {
  const name = `payments_test_${randomBytes(6).toString('hex')}`
  const template = migrated && address === process.env[ADDRESS] ? process.env[MIGRATED] : undefined
  await runAt(address, `CREATE DATABASE ${name} ${template === undefined ? LOCALE : `TEMPLATE ${template}`}`)
  const url = new URL(address)
  url.pathname = `/${name}`
  if (template !== undefined) await runAt(url.href, ANOTHER)
  return {
    url: url.href,
    run: (sql) => runAt(url.href, sql),
    drop: async () => void (await runAt(address, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  }
}

/** Runs statements on one connection. Returns the rows of the last one. */
export async function runAt(address: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: address })
  await client.connect()
  try {
    const results = [await client.query<Record<string, unknown>>(sql)].flat()
    return results.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}

/** Returns whether a server answers at a URL. */
export async function answers(address: string): Promise<boolean> {
  const client = new Client({ connectionString: address, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}
