import { describe, expect, it } from 'vitest'
import { DAWDLE, followWithoutGap, writeInParallel } from '../store/contract/commit-order.ts'
import { findPostgres } from '../support/postgres.ts'
import { openPostgresStore } from '../support/store.ts'

const server = await findPostgres()
const NODES = 4
const READERS = 100
const EVENTS = 200_000

describe.skipIf(server === null)('64 writers on four nodes', () => {
  it('never let a hundred readers skip a position', async () => {
    if (server === null) return
    const { url, run, drop } = await server.createDatabase()
    const nodes = await Promise.all(Array.from({ length: NODES }, () => openPostgresStore({ url })))
    await run(DAWDLE)
    const reading = nodes.flatMap((node) =>
      Array.from({ length: READERS / NODES }, () => followWithoutGap(node, { from: 0, to: EVENTS, pauseMs: 1000 })),
    )
    await Promise.all([writeInParallel(nodes, { writers: 64, count: EVENTS, run: 'order' }), ...reading])
    expect(await nodes[0]?.log.head()).toBe(EVENTS)
    await Promise.all(nodes.map((node) => node.close()))
    await drop()
  }, 7_200_000)
})
