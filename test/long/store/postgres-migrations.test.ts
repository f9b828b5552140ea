import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MigrationListener, parseMigration, readMigrations } from '../../../src/store/migrate.ts'
import { MIGRATION_LOCK, migratePostgres } from '../../../src/store/postgres/migrations.ts'
import {
  assertUsable,
  clientConfig,
  connect,
  createSockets,
  type OwnConnection,
} from '../../../src/store/postgres/postgres-connection.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { type Database, findPostgres, type PostgresServer } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'

const server = await findPostgres()
const OWN = readMigrations('postgres')
const NOTE = parseMigration('0901-note.sql', '-- compatible\nALTER TABLE payments ADD COLUMN note TEXT;\n')
const INDEX = parseMigration(
  '0902-index.sql',
  `-- compatible
CREATE TABLE remarks (id TEXT NOT NULL PRIMARY KEY, remark TEXT NOT NULL);
-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS streams_by_sequence ON pruned_streams (sequence);
-- step, long
INSERT INTO remarks VALUES ('once', 'more');
`,
)
const VALID = `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('streams_by_sequence')`
const BUILDING = 'SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()'
/** The lock of the migrations, with the process that holds it. */
const LOCK = `pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'
  AND classid = ${MIGRATION_LOCK.replace(',', ' AND objid =')} AND datname = current_database()`
/** The state of a database on which both migrations are complete. */
const COMPLETE = [
  { number: 901, compatibility: 'compatible', steps: 1 },
  { number: 902, compatibility: 'compatible', steps: 3 },
]

/** What is between the nodes and the server. */
const WAYS = [
  ['without a pooler', async () => server],
  [
    'behind a pooler',
    async () => (server === null || !hasPgBouncer() ? null : startPgBouncer(server, { poolSize: 8 })),
  ],
] as const

// promise(kept): PostgreSQL migrations run beside nodes that read and write, and continue after a crash.
describe.skipIf(server === null).each(WAYS)('migrations of PostgreSQL beside running nodes, %s', (way, reach) => {
  let between: PostgresServer | PgBouncer | null
  let database: Database
  let clients: Client[]
  /** The connections that migrations have opened. */
  let opened: OwnConnection[]

  beforeAll(async () => void (between = await reach()))
  beforeEach(async (context) => {
    context.skip(between === null, 'there is no PgBouncer')
    clients = []
    opened = []
    database = await (between as PostgresServer).createDatabase({ migrated: true })
    await (await openPostgresStore({ url: database.url })).close()
  })
  afterEach(async () => {
    for (const client of clients) await client.end()
    await database.drop()
  })
  afterAll(async () => {
    if (between !== null && 'remove' in between) await between.remove()
  })

  function migrateWith(listener: MigrationListener = {}, later = [NOTE, INDEX]): Promise<void> {
    const sockets = createSockets()
    const open = async () => {
      const connection = await connect(clientConfig(database.url, sockets, 0))
      await assertUsable(connection)
      opened.push(connection)
      return connection
    }
    return migratePostgres({ ...listener, open, now: new Date(7), migrations: [...OWN, ...later] })
  }

  /** Opens a transaction and runs a statement in it. */
  async function begin(sql: string): Promise<Client> {
    const client = new Client({ connectionString: database.url })
    await client.connect()
    clients.push(client)
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${sql}`)
    return client
  }

  /** Ends the connection that holds the lock of the migrations. */
  async function loseLock(): Promise<void> {
    expect(await database.run(`SELECT pg_terminate_backend(pid) FROM ${LOCK}`)).toHaveLength(1)
  }

  /** Resolves as soon as a query returns a row. */
  async function appears(sql: string): Promise<void> {
    while ((await database.run(sql)).length === 0) await sleep(20)
  }

  const recorded = () =>
    database.run('SELECT number, compatibility, steps FROM migrations WHERE number > 900 ORDER BY number')

  it('let the others read and write while a table is locked, and go on afterwards', async () => {
    const reading = await begin('SELECT 1 FROM payments')
    let waits = 0
    const { promise: waited, resolve } = Promise.withResolvers<void>()
    const migrated = migrateWith({
      onMigrationWait() {
        waits += 1
        if (waits === 2) resolve()
      },
    })
    await waited
    // As a node does, with the timeout of a node.
    await database.run('SET lock_timeout = 3000; SELECT count(*) FROM payments; UPDATE meta SET heartbeat_at = 5')
    expect(await recorded()).toEqual([])
    await reading.query('COMMIT')
    await migrated
    expect(await recorded()).toEqual(COMPLETE)
  })

  it('replace an index that an interrupted attempt has left invalid', async () => {
    await database.run(`INSERT INTO pruned_streams VALUES ('S1', 1), ('S2', 1)`)
    const failing = database.run('CREATE UNIQUE INDEX CONCURRENTLY streams_by_sequence ON pruned_streams (sequence)')
    await expect(failing).rejects.toThrow('could not create unique index')
    expect(await database.run(VALID)).toEqual([{ valid: false }])
    await migrateWith()
    expect(await database.run(VALID)).toEqual([{ valid: true }])
  })

  it('are applied once by nodes that start at once, which wait for each other', async () => {
    const old = await begin('SELECT 1 FROM meta')
    const { promise: waiting, resolve } = Promise.withResolvers<void>()
    const nodes = [0, 1, 2].map(() => migrateWith({ onMigrationWait: resolve }))
    await Promise.all([waiting, appears(BUILDING)])
    await old.query('COMMIT')
    await Promise.all(nodes)
    expect(await recorded()).toEqual(COMPLETE)
    expect(await database.run('SELECT id FROM remarks')).toHaveLength(1)
  })

  it('go on after a node that was killed while the server built its index', async () => {
    const old = await begin('SELECT 1 FROM meta')
    const sockets = createSockets()
    const connection = await connect(clientConfig(database.url, sockets, 0))
    const killed = connection.run(INDEX.steps[1]?.sql ?? '').catch(() => 'killed')
    await appears(BUILDING)
    sockets.close()
    expect(await killed).toBe('killed')
    const migrated = migrateWith()
    await appears("SELECT 1 FROM pg_tables WHERE tablename = 'remarks'")
    await old.query('COMMIT')
    await migrated
    expect(await database.run(VALID)).toEqual([{ valid: true }])
    expect(await recorded()).toEqual(COMPLETE)
  })

  it('are applied although the connection with the lock is lost', async () => {
    const old = await begin('SELECT 1 FROM meta')
    const migrated = migrateWith()
    await appears(BUILDING)
    await loseLock()
    await old.query('COMMIT')
    await migrated
    expect(await recorded()).toEqual(COMPLETE)
    expect(opened).toHaveLength(3)
  })

  it('are applied once by two nodes of which one has lost the lock', async () => {
    const locked = await begin('LOCK TABLE pruned_streams IN EXCLUSIVE MODE')
    const step = parseMigration(
      '0903-once.sql',
      "-- compatible\n-- step, long\nINSERT INTO pruned_streams VALUES ('S1', 1);",
    )
    const waits = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const nodes: Promise<void>[] = []
    for (const { promise, resolve } of waits) {
      nodes.push(migrateWith({ onMigrationWait: resolve }, [step]))
      await promise
      if (nodes.length === 1) await loseLock()
    }
    await locked.query('COMMIT')
    await Promise.all(nodes)
    expect(await database.run('SELECT 1 FROM pruned_streams')).toHaveLength(1)
  })

  it('do not keep an older version from starting meanwhile', async () => {
    await migrateWith()
    await begin(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    let later: readonly number[] = []
    const store = await openPostgresStore({ url: database.url, onLaterMigrations: (numbers) => (later = numbers) })
    await store.close()
    expect(later).toEqual([901, 902])
  })
})
