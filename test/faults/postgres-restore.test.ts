import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCursorCodec } from '../../src/keys/cursor.ts'
import { createKeyRing } from '../../src/keys/key-ring.ts'
import { Secret } from '../../src/keys/secret.ts'
import type { Store } from '../../src/store/store.ts'
import { delivery, report } from '../contract/store/builders.ts'
import { canMakeServer, createOwnServer, type OwnServer } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/process.ts'
import { openPostgresStore } from '../support/store.ts'
import { type ReplaceableServer, startReplaceableServer } from './cluster-servers.ts'

const run = promisify(execFile)
const ring = createKeyRing([new Secret('a-signing-key-of-more-than-32-characters')])
const cursorsOf = (store: Store) => createCursorCodec(ring, store.logId, store.branches)

async function append(store: Store, ...paymentIds: readonly string[]): Promise<void> {
  for (const paymentId of paymentIds) await store.inbox.receive(delivery(report('pending', { paymentId })))
}

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
    await expect
      .poll(
        () =>
          append(writer, 'P4').then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    await expect.poll(() => reader.log.head().catch(() => 0), { timeout: 20_000 }).toBe(4)

    for (const store of nodes) {
      expect(store.branches()).toEqual([3])
      expect(cursorsOf(store).decode('log', last)).toBe(3)
    }
    const next = cursorsOf(reader).encode('log', 4)
    expect(cursorsOf(writer).decode('log', next)).toBe(4)
  })
})
