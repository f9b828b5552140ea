import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { Client, type ClientBase, type ClientConfig, types } from 'pg'
import { type Pooler, POOLERS } from '../../config/database.ts'
import { StoreFailure, StoreUnusableError } from '../store-errors.ts'
import { endsConnection, isLostStatement, isStaleStatement, toStoreFailure } from './postgres-failure.ts'

/** The result of a query. */
export type StatementResult = {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: Record<string, unknown>[]
}

/** One connection, whose queries reject with `StoreFailure`. */
export type PostgresConnection = {
  /** Runs a query. Without `parameters` the text may contain several statements, and the result is that of the last one. */
  run(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>
  /** The connection was lost, or its state is unknown: it must not be used again. */
  readonly broken: boolean
  /** Session state may end with a transaction, because there may be a pooler. True until `pooler=session` or `answeredBy` excludes one. */
  readonly shared: boolean
  /**
   * Sets the server process that executes queries (`pg_backend_pid()`). A pooler sends another process id when a client connects: if
   * the two differ, there is a pooler.
   */
  answeredBy(pid: number): void
}

/** A connection outside the pool. */
export type OwnConnection = PostgresConnection & { end(): Promise<void> }

/** Called with each new connection before it is used. */
export type OnConnected = (connection: PostgresConnection) => Promise<void>

/** The driver's options, and the configured pooler; null if unknown. */
export type ConnectionConfig = ClientConfig & { readonly pooler?: Pooler | null }

/**
 * A caller receives an error within about five seconds if the database does not answer. The server cancels a statement shortly before
 * the client's timeout (`ANSWER_MS`), so that a connection is lost only if the server hangs.
 */
export const LIMITS: SessionTimeouts = { lock: 3000, statement: 3500 }
/** Milliseconds after which a query times out, and its connection is dropped. */
export const ANSWER_MS = 4000

const CONNECT_MS = 3000
const KEEP_ALIVE_MS = 10_000
const INT8 = 20

/** The sockets of one store. They can be closed without waiting for a server that hangs. */
export type SocketFactory = { open(): Socket; close(): void }

export function createSockets(): SocketFactory {
  const sockets = new Set<Socket>()
  return {
    open() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    /** Destroys each socket after its buffered data is sent. */
    close() {
      for (const socket of sockets) socket.destroySoon()
    },
  }
}

/** Returns the options of a connection with a query timeout of `answerMs` milliseconds; 0 for none. */
export function clientConfig(url: string, sockets: SocketFactory, answerMs: number): ConnectionConfig {
  return {
    ...connectionOf(url),
    pooler: poolerOf(url),
    fallback_application_name: 'payments-subgraph',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    query_timeout: answerMs,
    // Positions and milliseconds stay far below 2^53.
    types: { getTypeParser: (oid: number, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)) },
    stream: () => sockets.open(),
  }
}

/** Opens a connection outside the pool. Rejects with `StoreFailure`. */
export async function connect(config: ConnectionConfig): Promise<OwnConnection> {
  const client = new Client(config)
  const connection = guarded(client, config.pooler)
  try {
    await client.connect()
  } catch (error) {
    throw toStoreFailure(error)
  }
  return Object.assign(connection, { end: () => client.end() })
}

/**
 * Wraps a client: its errors are converted to `StoreFailure`, and a lost connection never ends the process. Statements with parameters
 * are prepared under names if the session is not shared, or if the configured pooler tracks prepared statements.
 */
export function guarded(client: ClientBase, pooler: Pooler | null = null): PostgresConnection {
  const names = createStatementNames()
  let broken = false
  let shared = pooler !== 'session'
  let prepares = pooler === 'session' || pooler === 'transaction-prepared'
  client.on('error', () => {
    broken = true
  })
  return {
    get broken() {
      return broken
    },
    get shared() {
      return shared
    },
    answeredBy(pid) {
      if (pooler !== null) return
      shared = processOf(client) !== pid
      prepares = !shared
    },
    async run(sql, parameters) {
      try {
        const answers: StatementResult | StatementResult[] =
          parameters === undefined
            ? await client.query(sql)
            : await client.query({ ...(prepares && names.of(sql)), text: sql, values: parameters.map(storable) })
        return [answers].flat().at(-1) ?? NOTHING
      } catch (error) {
        const failure = toStoreFailure(error)
        const stale = isStaleStatement(failure) && parameters !== undefined
        // Only a pooler can remove a prepared statement, or have one of the same name. It may also keep a stale one under any name.
        shared ||= isLostStatement(failure)
        if (stale && !shared) names.renew()
        else if (stale || isLostStatement(failure)) prepares = false
        // The same code without a prepared statement: the server refuses a READ WRITE transaction. The next connection checks why.
        broken ||= endsConnection(failure) || (isStaleStatement(failure) && !stale)
        throw failure
      }
    },
  }
}

/** Returns the process id that a client received with its cancellation key when it connected; the driver's types omit it. */
function processOf(client: ClientBase): unknown {
  return 'processID' in client ? client.processID : null
}

/** The result of a text without a statement. */
const NOTHING: StatementResult = { command: '', rowCount: null, rows: [] }

/** Replaces NUL, which PostgreSQL's text cannot contain, by U+FFFD, as UTF-8 does with a lone surrogate; also in lookups. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * Rejects with `StoreUnusableError` unless commits on this connection are durable, the server accepts writes, and its encoding is UTF8.
 * Called for every new connection, because the server may have been replaced. Calls `answeredBy`.
 */
export async function assertUsable(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.run(
    `SELECT current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync,
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS replica, pg_backend_pid() AS pid`,
  )
  const [{ commits, fsync, encoding, replica, pid } = {}] = rows
  connection.answeredBy(Number(pid))
  const refuse = (why: string) => new StoreUnusableError(`The database that DATABASE_URL names ${why}.`)
  if (replica === true) throw refuse('is a read-only replica: name the primary')
  if (commits === 'off' || fsync === 'off')
    throw refuse(`is not durable: synchronous_commit is ${String(commits)}, fsync is ${String(fsync)}`)
  if (encoding !== 'UTF8') throw refuse(`has the encoding ${String(encoding)}: it must be UTF8`)
}

/** The same for a connection that is opened after the start: rejects with `StoreFailure`, READ_ONLY. */
export async function assertStillUsable(connection: PostgresConnection): Promise<void> {
  try {
    await assertUsable(connection)
  } catch (error) {
    throw error instanceof StoreUnusableError ? new StoreFailure('READ_ONLY', error) : error
  }
}

const MODE = 'sslmode'
/** Parameters that name files, and the options of Node.js that take their content. */
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const

/**
 * Returns the TLS options of a database URL. They are explicit, because the driver would otherwise use the default of Node.js for the
 * verification of certificates, which NODE_TLS_REJECT_UNAUTHORIZED changes, and PGSSLMODE if the URL has no `sslmode`. Only
 * `sslmode=no-verify` disables verification. Throws `StoreUnusableError` if a file cannot be read.
 */
function connectionOf(text: string): Pick<ClientConfig, 'connectionString' | 'ssl'> {
  const url = new URL(text)
  const { searchParams } = url
  const mode = searchParams.get(MODE)
  const files = Object.entries(FILES).flatMap(([name, option]) => {
    const path = searchParams.get(name)
    return path === null ? [] : [[option, contentOf(path, name)] as const]
  })
  if (mode === 'disable' || (mode === null && files.length === 0)) return { connectionString: text, ssl: false }
  for (const name of [MODE, ...Object.keys(FILES)]) searchParams.delete(name)
  return {
    connectionString: url.href,
    ssl: { ...Object.fromEntries(files), rejectUnauthorized: mode !== 'no-verify' },
  }
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new StoreUnusableError(`The file that DATABASE_URL names as ${name} cannot be read (${code}).`)
  }
}

/** Maximum number of prepared statements per connection: more than the fixed queries; limits those for lists of different lengths. */
const MAX_PREPARED = 256

/** Names of the prepared statements of a connection. A named statement is parsed and planned once. */
type StatementNames = {
  /** Returns the name for a text; no name if 256 texts already have one. */
  of(sql: string): { readonly name?: string }
  /** Causes all statements to be prepared again, under new names. */
  renew(): void
}

/**
 * Creates names that contain a digest of the text. Behind a pooler that was not detected, two clients may prepare statements in one
 * session: the same name then always means the same text, so that neither client runs a wrong statement.
 */
function createStatementNames(): StatementNames {
  const names = new Map<string, { readonly name: string }>()
  let round = 0
  return {
    of(sql) {
      if (!names.has(sql) && names.size < MAX_PREPARED) names.set(sql, { name: `q${round}_${digestOf(sql)}` })
      return names.get(sql) ?? {}
    },
    renew() {
      names.clear()
      round += 1
    },
  }
}

function digestOf(sql: string): string {
  return createHash('sha256').update(sql).digest('base64url')
}

/** Returns the `pooler` parameter of a database URL. Null: every connection detects whether there is a pooler. */
function poolerOf(url: string): Pooler | null {
  const named = new URL(url).searchParams.get('pooler')
  return POOLERS.find((pooler) => pooler === named) ?? null
}

/** Server timeouts for a lock and for a statement, in milliseconds; 0 for none. */
type SessionTimeouts = { readonly lock: number; readonly statement: number }

/** Server timeout of a transaction that is idle: a process that hangs must not block the writers of other nodes. */
const IDLE_IN_TRANSACTION_MS = 5000

/**
 * Returns the settings of these timeouts. They are not startup parameters of the connection, because a pooler rejects or ignores
 * parameters that it does not support.
 */
export function limitSettings({ lock, statement }: SessionTimeouts): readonly string[] {
  return [
    `lock_timeout = ${lock}`,
    `statement_timeout = ${statement}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  ]
}

/** Returns the statements that change settings for the session. Not for use behind a pooler: other clients would get the settings. */
export function setForSession(settings: readonly string[]): string {
  return settings.map((setting) => `SET ${setting}`).join('; ')
}

/** Returns the statements that change settings for the current transaction. */
export function setForTransaction(settings: readonly string[]): string {
  return settings.map((setting) => `SET LOCAL ${setting}`).join('; ')
}
