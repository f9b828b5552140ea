import { canMakeServer, createOwnServer } from '../../../test/support/postgres-server.ts'
import { findPostgres, type PostgresServer } from '../../../test/support/postgres.ts'
import { shown } from '../figures.ts'
import { fillingOf } from '../fill-database.ts'
import type { ServerProcess } from '../processes.ts'
import { type BenchDatabase, createPostgres, createSqlite } from './databases.ts'
import type { Receiver } from './load.ts'
import { startPeer, startProduct, startRowsPeer } from './processes.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/** A receiver of webhooks with its database; the peer has no database. */
export type Target = {
  readonly name: string
  readonly receiver: Receiver
  readonly database: BenchDatabase | null
  /** Ends the processes; keeps the database. */
  stop(): Promise<void>
}

/** The databases of one kind with their processes. */
export type Group = {
  readonly kind: DatabaseKind
  readonly one: Target
  /** The same with very many stored payments; null if these are not requested. */
  readonly large: Target | null
  /** The least that stored webhooks cost on the tables of the database; null for PostgreSQL. */
  readonly rows: Target | null
  /** Three processes on one database, which only PostgreSQL allows; otherwise null. */
  readonly three: Target | null
}

export type GroupOptions = {
  /** The main module of the product. */
  readonly program: string
  readonly payments: { readonly few: number; readonly many: number }
  /** Ends the processes and removes the databases. */
  readonly cleanUp: AsyncDisposableStack
}

const NODES = 3

export async function startPeerTarget(cleanUp: AsyncDisposableStack): Promise<Target> {
  return targetOf('Fastify, HMAC alone', [await startPeer(cleanUp)], null)
}

/** Starts the product on SQLite files. */
export async function startSqlite({ program, payments, cleanUp }: GroupOptions): Promise<Group> {
  const start = async (stored: number) => {
    const database = await createSqlite(fillingOf(stored))
    cleanUp.defer(() => database.remove())
    return targetOf(`SQLite, ${shown(stored)} payments`, [await startProduct(program, database.url, cleanUp)], database)
  }
  const startRows = async () => {
    const database = await createSqlite(fillingOf(payments.few))
    cleanUp.defer(() => database.remove())
    const peer = await startRowsPeer(database.url.slice('file:'.length), cleanUp)
    return targetOf('Fastify, HMAC and rows in SQLite', [peer], database)
  }
  return {
    kind: 'sqlite',
    rows: await startRows(),
    one: await start(payments.few),
    large: payments.many > 0 ? await start(payments.many) : null,
    three: null,
  }
}

/** Starts the product on databases of one PostgreSQL server. */
export async function startPostgres({ program, payments, cleanUp }: GroupOptions): Promise<Group> {
  const server = await openServer(cleanUp)
  const start = async (stored: number, nodes: number) => {
    const database = await createPostgres(server, fillingOf(stored))
    cleanUp.defer(() => database.remove())
    const starting = Array.from({ length: nodes }, () => startProduct(program, database.url, cleanUp))
    const name = `PostgreSQL, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${shown(stored)} payments`
    return targetOf(name, await Promise.all(starting), database)
  }
  return {
    kind: 'postgres',
    rows: null,
    one: await start(payments.few, 1),
    large: payments.many > 0 ? await start(payments.many, 1) : null,
    three: await start(payments.few, NODES),
  }
}

/** Creates a PostgreSQL server on the core of the load. If that is impossible, returns the server of the tests; throws if there is none. */
async function openServer(cleanUp: AsyncDisposableStack): Promise<PostgresServer> {
  if (canMakeServer()) {
    const own = await createOwnServer()
    cleanUp.defer(() => own.remove())
    return own
  }
  const server = await findPostgres()
  if (server === null)
    throw new Error('There is no PostgreSQL server: run `docker compose -f compose.databases.yaml up -d`.')
  return server
}

function targetOf(name: string, processes: readonly ServerProcess[], database: BenchDatabase | null): Target {
  return {
    name,
    receiver: { urls: processes.map(({ url }) => url), pids: processes.map(({ pid }) => pid) },
    database,
    stop: async () => void (await Promise.all(processes.map((each) => each.stop()))),
  }
}
