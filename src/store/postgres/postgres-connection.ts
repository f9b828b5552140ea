import { Socket } from 'node:net'
import { Client, type ClientBase, type ClientConfig, types } from 'pg'
import type { Pooler } from '../../config/database.ts'
import { StoreFailure, StoreUnusableError } from '../store-errors.ts'
import { endsConnection, isLostStatement, isStaleStatement, toStoreFailure } from './postgres-failure.ts'
import { type Limits, poolerOf } from './postgres-session.ts'
import { createStatementNames } from './statement-names.ts'
import { connectionOf } from './tls.ts'

/** What a query gives. */
export type StatementResult = {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: Record<string, unknown>[]
}

/** One connection, whose queries reject with `StoreFailure`. */
export type PostgresConnection = {
  /** Runs a query; without parameters the text may hold several statements, and the answer is that of the last one. */
  run(sql: string, parameters?: readonly unknown[]): Promise<StatementResult>
  /** The connection was lost, or its state is not known: it must not be used any more. */
  readonly broken: boolean
  /** Nothing lasts longer than a transaction, since a pooler stands between. True until `answeredBy` has told otherwise. */
  readonly shared: boolean
  /**
   * Tells which process of the server answers queries (`pg_backend_pid()`). A pooler greets its clients as a process of its own:
   * where the two differ there is one.
   */
  answeredBy(pid: number): void
}

/** The driver's options, and what is known of a pooler. */
export type ConnectionConfig = ClientConfig & { readonly pooler?: Pooler | null }

/**
 * A caller is told within about five seconds that the database does not answer. The server ends a statement by itself a
 * moment before it is given up on here, so that a connection is lost only when the server hangs.
 */
export const LIMITS: Limits = { lock: 3000, statement: 3500 }
/** Milliseconds after which a query is given up on, and so its connection. */
export const ANSWER_MS = 4000

const CONNECT_MS = 3000
const KEEP_ALIVE_MS = 10_000
const INT8 = 20

/** The sockets of one store, so that closing it never waits for a server that hangs. */
export type SocketFactory = { open(): Socket; close(): void }

export function createSockets(): SocketFactory {
  const sockets = new Set<Socket>()
  return {
    open() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    /** Once what was written is sent. */
    close() {
      for (const socket of sockets) socket.destroySoon()
    },
  }
}

/** How a connection is made, of which a query may take so many milliseconds; 0 for any time. */
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

/** Opens a connection of one's own. */
export async function connect(config: ConnectionConfig): Promise<PostgresConnection & { end(): Promise<void> }> {
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
 * A client under watch: what it throws becomes a `StoreFailure`, and losing the connection never ends the process. Statements with
 * parameters are prepared under names in a session of one's own, and where a pooler is said to follow them.
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
        // Nobody but a pooler takes a statement away, or has one there already. It may also keep one that is stale under any name.
        shared ||= isLostStatement(failure)
        if (stale && !shared) names.renew()
        else if (stale || isLostStatement(failure)) prepares = false
        // The same code without a statement that was prepared: a transaction may not write. The next connection asks why.
        broken ||= endsConnection(failure) || (isStaleStatement(failure) && !stale)
        throw failure
      }
    },
  }
}

/** The process that greeted a client, by the key with which its queries could be cancelled; the driver's types leave it out. */
function processOf(client: ClientBase): unknown {
  return 'processID' in client ? client.processID : null
}

/** The answer to a text without a statement. */
const NOTHING: StatementResult = { command: '', rowCount: null, rows: [] }

/** PostgreSQL's text holds every character but NUL. It becomes what UTF-8 makes of a lone surrogate, in values and in questions alike. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * Throws `StoreUnusableError` unless what is committed on a connection is durable, and the server may be written to. Asked on
 * every new connection: a server may have been replaced by another one meanwhile. Tells the connection who answers it.
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

/** The same for a connection that is opened while the process runs: then it is a failure like any other. */
export async function assertStillUsable(connection: PostgresConnection): Promise<void> {
  try {
    await assertUsable(connection)
  } catch (error) {
    throw error instanceof StoreUnusableError ? new StoreFailure('READ_ONLY', error) : error
  }
}
