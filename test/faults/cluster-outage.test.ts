import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, type ClusterNode, eventually, startCluster } from './cluster.ts'

const server = await findPostgres()
const MINUTE = 60_000
const NODES = 3
const TIMEOUT = 8 * MINUTE

describe.skipIf(server === null)('an outage of a cluster', () => {
  let cluster: Cluster
  beforeEach(async () => {
    if (server !== null) cluster = await startCluster(server)
  })
  afterEach(() => cluster?.close())

  const startAll = () => Promise.all(Array.from({ length: NODES }, (_, n) => cluster.startNode((n - 1) * 60 * MINUTE)))
  const sweeps = async (nodes: readonly ClusterNode[]) => {
    const counts = await Promise.all(nodes.map((node) => node.metric('payments_sweeps_total')))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  const heartbeat = async () =>
    String((await cluster.database.run('SELECT heartbeat_at FROM meta'))[0]?.['heartbeat_at'])
  /** Waits until a leader has written a heartbeat: it does so right after it has become one. */
  const isFresh = () =>
    eventually('the heartbeat is fresh', async () => {
      const rows = await cluster.database.run(
        `SELECT 1 FROM meta WHERE heartbeat_at > extract(epoch FROM clock_timestamp()) * 1000 - ${MINUTE}`,
      )
      return rows.length > 0
    })
  const beats = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const before = await heartbeat()
      await eventually('there is a heartbeat', async () => (await heartbeat()) !== before)
    }
  }

  it(
    'is followed by one sweep when all nodes were down and come back at once, with any clocks',
    async () => {
      const before = await cluster.startNode()
      await cluster.leaderOf([before])
      const link = await createLink(before)
      await cluster.sandbox.control.setStatus(link.id, 'pending')
      await before.kill()
      await cluster.sandbox.control.setStatus(link.id, 'received', { silent: true })
      await cluster.age(6 * MINUTE)

      const nodes = await startAll()
      await eventually('there was a sweep', async () => (await sweeps(nodes)) > 0)
      await eventually(
        'the payment is read',
        async () => (await historyOf(nodes[0] ?? before, link.id)).payment?.status === 'RECEIVED',
      )
      await beats(2)
      expect(await sweeps(nodes)).toBe(1)
    },
    TIMEOUT,
  )

  it(
    'is none while one node lives: neither the death nor the pause of a leader leads to a sweep',
    async () => {
      const nodes = await startAll()
      const killed = await cluster.leaderOf(nodes)
      // The heartbeat is nearly as old as it may be, and its writer ends.
      await isFresh()
      await killed.kill()
      await cluster.age(4 * MINUTE)
      const rest = nodes.filter((node) => node !== killed)
      const paused = await cluster.leaderOf(rest)
      await isFresh()
      paused.pause()
      await cluster.age(4 * MINUTE)
      const last = rest.filter((node) => node !== paused)
      await cluster.leaderOf(last)
      paused.resume()
      await beats(2)
      expect(await sweeps(rest)).toBe(0)
      const [meta] = await cluster.database.run('SELECT sweep_from FROM meta')
      expect(meta).toEqual({ sweep_from: null })
    },
    TIMEOUT,
  )
})
