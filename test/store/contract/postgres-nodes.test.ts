import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { after, command, delivery, NOW, paymentOf, report, settledLink } from './builders.ts'
import { DAWDLE, followWithoutGap, writeInParallel } from './commit-order.ts'

const server = await findPostgres()
const NODES = 4
const STATUSES = ['pending', 'authorised', 'waiting', 'received']

// promise(streams): Readers of PostgreSQL's log skip nothing while 64 writers commit in any order.
describe.skipIf(server === null)('several nodes on one PostgreSQL database', () => {
  let database: Database
  let nodes: Store[]

  const open = () => openPostgresStore({ url: database.url, clock: () => NOW })
  /** Runs many tasks concurrently, in turn on each node. */
  const spread = <Result>(count: number, work: (node: Store, index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(nodes.flatMap((node, n) => Array.from({ length: count / NODES }, (_, i) => work(node, i * NODES + n))))

  beforeAll(async () => {
    if (server !== null) database = await server.createDatabase()
  })
  beforeEach(async () => void (nodes = await Promise.all(Array.from({ length: NODES }, open))))
  afterEach(() => Promise.all(nodes.map((node) => node.close())))
  afterAll(() => database?.drop())

  it('make its tables once when they start at once, and share one log', () => {
    expect(new Set(nodes.map(({ logId }) => logId)).size).toBe(1)
  })

  it('store one row and one event for copies that come to all of them at once', async () => {
    const same = delivery(report('received', { paymentId: 'copies' }))
    const outcomes = await spread(40, (node) => node.inbox.receive(same))
    expect(outcomes.filter(({ repeat }) => !repeat)).toHaveLength(1)
    const stored = (await nodes[0]?.inbox.page({ limit: 10, before: null }, { subjectIds: ['copies'] }))?.rows
    expect(stored).toMatchObject([{ attempts: 40 }])
    expect((await nodes[1]?.log.read(0, 100, { paymentIds: ['copies'] }))?.events).toHaveLength(1)
  })

  it('lose no webhook of one payment to each other', async () => {
    await spread(80, (node, n) =>
      node.inbox.receive(delivery(report(STATUSES[n % 4] ?? '', { paymentId: 'one' }), { bytes: `${n}` })),
    )
    const [node] = nodes
    if (node === undefined) throw new Error('There is no node.')
    const ofPayment = (await node.log.read(0, 1000, { paymentIds: ['one'] })).events
    expect(ofPayment.map(({ sequence }) => sequence)).toEqual(ofPayment.map((_, index) => index + 1))
    expect((await paymentOf(node, 'one')).version).toBe(ofPayment.length)
    const subject = await node.reads.subject('one')
    expect(subject?.deliveries).toBe(80)
  })

  it('let one of them have a key, and take up an expired command once', async () => {
    const begun = await spread(40, (node, n) => node.commands.begin(command(`key-ref-${n}`, { key: 'one-key' })))
    expect(begun.filter(({ fresh }) => fresh)).toHaveLength(1)
    expect(new Set(begun.map(({ command: held }) => held.id)).size).toBe(1)

    const id = begun[0]?.command.id ?? ''
    const expired = await Promise.all(nodes.map((node) => node.commands.expireLeases(after(60_000).getTime())))
    expect(expired.reduce((sum, count) => sum + count, 0)).toBe(1)
    const attempt = { owner: 'another', leaseUntil: after(90_000).getTime(), sentAt: after(60_000).getTime() }
    const taken = await spread(8, (node, n) => node.commands.retry(id, { ...attempt, ref: `retry-${n}` }))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  it('forget each old command once', async () => {
    await spread(40, async (node, n) => {
      const { command: begun } = await node.commands.begin(command(`old-${n}`, { leaseUntil: after(-2).getTime() }))
      await node.commands.settle(begun.id, null)
    })
    const purged = await Promise.all(nodes.map((node) => node.commands.purge(after(-1))))
    expect(purged.reduce((sum, count) => sum + count, 0)).toBe(40)
  })

  it('take over the payment of a link whose answer and whose webhook come to different nodes at once', async () => {
    await spread(40, async (node, n) => {
      const other = nodes[(n + 1) % NODES]
      await Promise.all([
        settledLink(node, `both-${n}`),
        other?.inbox.receive(delivery(report('received', { paymentId: `B${n}` }), { ref: `both-${n}` })),
      ])
    })
    const links = await nodes[0]?.links.byIds(Array.from({ length: 40 }, (_, n) => `LINK-both-${n}`))
    expect(links?.map(({ paymentId }) => paymentId).toSorted()).toEqual(
      Array.from({ length: 40 }, (_, n) => `B${n}`).toSorted(),
    )
  })

  it('show no reader a position whose predecessors come later', async () => {
    await database.run(DAWDLE)
    const from = (await nodes[0]?.log.head()) ?? 0
    const count = 2_000
    await Promise.all([
      writeInParallel(nodes, { writers: 64, count, run: 'order' }),
      ...nodes.map((node) => followWithoutGap(node, { from, to: from + count })),
    ])
    expect(await nodes[0]?.log.head()).toBe(from + count)
  })
})
