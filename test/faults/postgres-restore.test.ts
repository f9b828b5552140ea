import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createCursorCodec } from '../../src/keys/cursor.ts'
import type { Store } from '../../src/ledger/store.ts'
import { delivery, report } from '../store/contract/builders.ts'
import { AT_REST, importAll, reportOf } from '../support/imports.ts'
import { startNetwork } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { readPayment } from '../support/payins.ts'
import { historyOf } from '../support/payments.ts'
import { canMakeServer, createOwnServer, type OwnServer } from '../support/postgres-server.ts'
import { type Database, findPostgres, runAt } from '../support/postgres.ts'
import { temporaryFolder } from '../support/process.ts'
import { openPostgresStore } from '../support/store.ts'
import { type ReplaceableServer, startReplaceableServer } from './cluster-servers.ts'

const run = promisify(execFile)

const cursorsOf = (store: Store) => createCursorCodec(store.logId, store.branches)

async function append(store: Store, ...paymentIds: readonly string[]): Promise<void> {
  for (const paymentId of paymentIds) await store.inbox.receive(delivery(report('pending', { paymentId })))
}

/** Repeats something until it succeeds. */
async function persist(attempt: () => Promise<void>): Promise<void> {
  const succeeds = () =>
    attempt().then(
      () => true,
      () => false,
    )
  await expect.poll(succeeds).toBe(true)
}

// promise(kept): Cursors of events that a restored database does not have are refused; earlier ones stay valid.
describe.skipIf(!canMakeServer())('a log that goes on on another PostgreSQL server', () => {
  let first: ReplaceableServer
  let other: OwnServer | null = null
  const opened: Store[] = []

  const open = async (url: string): Promise<Store> => {
    const store = await openPostgresStore({ url })
    opened.push(store)
    return store
  }
  beforeEach(async () => void (first = await startReplaceableServer()))
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
    await other?.remove()
    await first.remove()
    other = null
  })

  it('after a restore has the cursors from before the backup, and none of what is missing', async () => {
    const { url } = await first.server.createDatabase()
    const before = await open(url)
    await append(before, 'P1', 'P2', 'P3')
    const dump = join(temporaryFolder(), 'dump.sql')
    await run('pg_dump', ['--no-owner', '--file', dump, url])
    await append(before, 'P4', 'P5')
    const cursors = cursorsOf(before)
    const [third = '', lost = ''] = [3, 5].map((position) => cursors.encode('log', position))

    other = await createOwnServer()
    const restored = await other.createDatabase()
    await run('psql', ['--quiet', '--file', dump, restored.url])
    const after = await open(restored.url)
    await append(after, 'Q4', 'Q5', 'Q6')
    const decode = (store: Store, cursor: string) => cursorsOf(store).decode('log', cursor)
    expect(after.branches()).toEqual([3])
    expect([third, lost].map((cursor) => decode(after, cursor))).toEqual([3, null])
    const fifth = cursorsOf(after).encode('log', 5)
    expect(decode(after, fifth)).toBe(5)
    expect(fifth).not.toBe(lost)

    const again = await open(restored.url)
    expect(again.branches()).toEqual([3])
    expect([third, lost, fifth].map((cursor) => decode(again, cursor))).toEqual([3, null, 5])
  })

  it('after a failover without a loss has all cursors, also in nodes that were running', async () => {
    const { url } = await first.server.createDatabase()
    const nodes = [await open(url), await open(url)]
    const [writer, reader] = nodes as [Store, Store]
    await append(writer, 'P1', 'P2', 'P3')
    const last = cursorsOf(writer).encode('log', 3)
    await first.failOver()
    await persist(() => append(writer, 'P4'))
    await expect.poll(() => reader.log.head().catch(() => 0)).toBe(4)

    for (const store of nodes) {
      expect(store.branches()).toEqual([3])
      expect(cursorsOf(store).decode('log', last)).toBe(3)
    }
    const next = cursorsOf(reader).encode('log', 4)
    expect(cursorsOf(writer).decode('log', next)).toBe(4)
  })
})

const server = await findPostgres()

describe.skipIf(server === null)('a log whose tables are restored into the same database', () => {
  let database: Database
  let url: string
  const opened: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore({ url })
    opened.push(store)
    return store
  }
  beforeEach(async () => {
    if (server === null) return
    database = await server.createDatabase()
    url = database.url
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
    await database.drop()
  })

  it('has the cursors from before the dump, and none of what is missing', async () => {
    const before = await open()
    await append(before, 'P1', 'P2', 'P3')
    const dump = join(temporaryFolder(), 'dump.sql')
    await run('pg_dump', ['--no-owner', '--clean', '--if-exists', '--file', dump, url])
    await append(before, 'P4', 'P5')
    const cursors = cursorsOf(before)
    const [third = '', lost = ''] = [3, 5].map((position) => cursors.encode('log', position))
    await before.close()

    await run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--file', dump, url])
    const nodes = [await open(), await open()]
    await append(nodes[0] as Store, 'Q4', 'Q5')
    for (const node of nodes) {
      expect(node.branches()).toEqual([3])
      expect([third, lost].map((cursor) => cursorsOf(node).decode('log', cursor))).toEqual([3, null])
    }
  })
})

// promise(kept): A PostgreSQL database is restored to a point in time; an import finds the payments of the time since.
it.skipIf(!canMakeServer())(
  'a database at a point in time gets back what came after it by an import',
  async () => {
    const own = await createOwnServer()
    onTestFinished(() => own.remove())
    const restoreTo = await own.backUp()
    const { url } = await own.createDatabase()
    const network = await startNetwork({ sandbox: AT_REST, env: { DATABASE_URL: url } })
    onTestFinished(() => network.close())
    const kept = await createLink(network)
    const [{ instant } = {}] = await runAt(url, 'SELECT clock_timestamp()::text AS instant')
    const lost = await createLink(network)
    await network.sandbox.control.setStatus(lost.id, 'received')
    const { payment } = await historyOf(network, lost.id)
    const paymentId = payment?.id ?? ''

    const restored = await restoreTo(String(instant))
    onTestFinished(() => restored.remove())
    const { port } = new URL(restored.address)
    const after = await startNetwork({
      upstreamUrl: network.sandbox.url,
      env: { DATABASE_URL: String(Object.assign(new URL(url), { port })) },
    })
    onTestFinished(() => after.close())
    expect(await historyOf(after, kept.id)).toMatchObject({ state: 'OPEN', payment: null })
    expect(await readPayment(after, paymentId)).toBeNull()
    const links = reportOf(await importAll(after, expect.poll), 'aud', 'LINKS')
    expect(links.addedIds).toContain(paymentId)
    expect(await readPayment(after, paymentId)).toMatchObject({ status: 'RECEIVED' })
  },
  120_000,
)
