import { Socket } from 'node:net'
import { Client, type ClientBase, type ClientConfig, types } from 'pg'
import { StoreFailure, StoreUnusableError } from './errors.ts'
import { endsConnection, isStaleStatement, toStoreFailure } from './postgres-failure.ts'
import { connectionOf } from './postgres-tls.ts'

/** What a query gives. */
export type Answer = {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: Record<string, unknown>[]
}

/** One connection, whose queries reject with `StoreFailure`. */
export type Connection = {
  /** Runs a query; without parameters the text may hold several statements, and the answer is that of the last one. */
  run(sql: string, parameters?: readonly unknown[]): Promise<Answer>
  /** The connection was lost, or its state is not known: it must not be used any more. */
  readonly broken: boolean
}

/** Milliseconds after which a query is given up on, and so its connection. */
export type Limits = { readonly lock: number; readonly statement: number; readonly answer: number }

/**
 * A caller is told within about five seconds that the database does not answer. The server ends a statement by itself a
 * moment before it is given up on here, so that a connection is lost only when the server hangs.
 */
export const LIMITS: Limits = { lock: 3000, statement: 3500, answer: 4000 }

const CONNECT_MS = 3000
/** How long the server lets a transaction wait for its client: one that hangs must not keep the other nodes from writing. */
const IDLE_IN_TRANSACTION_MS = 5000
const KEEP_ALIVE_MS = 10_000
const INT8 = 20

/** Statements that stay prepared per connection: more than there are fixed queries, few enough for lists of any length. */
const MAX_PREPARED = 256

/** The sockets of one store, so that closing it never waits for a server that hangs. */
export type Sockets = { open(): Socket; close(): void }

export function createSockets(): Sockets {
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

/** How a connection is made. What the address says of TLS counts; everything else is decided here. */
export function clientConfig(url: string, sockets: Sockets, limits: Limits): ClientConfig {
  return {
    ...connectionOf(url),
    fallback_application_name: 'payments-subgraph',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    lock_timeout: limits.lock,
    statement_timeout: limits.statement,
    query_timeout: limits.answer,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // Positions and milliseconds stay far below 2^53.
    types: { getTypeParser: (oid: number, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)) },
    stream: () => sockets.open(),
  }
}

/** Opens a connection of one's own. */
export async function connect(config: ClientConfig): Promise<Connection & { end(): Promise<void> }> {
  const client = new Client(config)
  const connection = guarded(client)
  try {
    await client.connect()
  } catch (error) {
    throw toStoreFailure(error)
  }
  return Object.assign(connection, { end: () => client.end() })
}

/** A client under watch: what it throws becomes a `StoreFailure`, and losing the connection never ends the process. */
export function guarded(client: ClientBase): Connection {
  const names = createNames()
  let broken = false
  client.on('error', () => {
    broken = true
  })
  return {
    get broken() {
      return broken
    },
    async run(sql, parameters) {
      try {
        const answers: Answer | Answer[] =
          parameters === undefined
            ? await client.query(sql)
            : await client.query({ ...names.of(sql), text: sql, values: parameters.map(storable) })
        return [answers].flat().at(-1) ?? NOTHING
      } catch (error) {
        const failure = toStoreFailure(error)
        if (isStaleStatement(failure)) names.renew()
        broken ||= endsConnection(failure)
        throw failure
      }
    },
  }
}

/** Names for the statements of a connection: what has one is planned once. `renew` has everything planned anew. */
function createNames() {
  const names = new Map<string, { readonly name: string }>()
  let round = 0
  return {
    of(sql: string): { readonly name?: string } {
      if (!names.has(sql) && names.size < MAX_PREPARED) names.set(sql, { name: `q${round}_${names.size}` })
      return names.get(sql) ?? {}
    },
    renew() {
      names.clear()
      round += 1
    },
  }
}

/** The answer to a text without a statement. */
const NOTHING: Answer = { command: '', rowCount: null, rows: [] }

/** PostgreSQL's text holds every character but NUL. It becomes what UTF-8 makes of a lone surrogate, in values and in questions alike. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}

/**
 * Throws `StoreUnusableError` unless what is committed on a connection is durable, and the server may be written to. Asked on
 * every new connection: a server may have been replaced by another one meanwhile.
 */
export async function assertUsable(connection: Connection): Promise<void> {
  const { rows } = await connection.run(
    `SELECT current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync,
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS replica`,
  )
  const [{ commits, fsync, encoding, replica } = {}] = rows
  const refuse = (why: string) => new StoreUnusableError(`The database that DATABASE_URL names ${why}.`)
  if (replica === true) throw refuse('is a read-only replica: name the primary')
  if (commits === 'off' || fsync === 'off')
    throw refuse(`is not durable: synchronous_commit is ${String(commits)}, fsync is ${String(fsync)}`)
  if (encoding !== 'UTF8') throw refuse(`has the encoding ${String(encoding)}: it must be UTF8`)
}

/** The same for a connection that is opened while the process runs: then it is a failure like any other. */
export async function assertStillUsable(connection: Connection): Promise<void> {
  try {
    await assertUsable(connection)
  } catch (error) {
    throw error instanceof StoreUnusableError ? new StoreFailure('READ_ONLY', error) : error
  }
}
