import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, type ClusterNode, eventually, leaseOf, startCluster } from './cluster.ts'

const server = await findPostgres()
const SECOND = 1_000
const MINUTE = 60 * SECOND
const TIMEOUT = 8 * MINUTE

describe.skipIf(server === null)('the reader of a cluster', () => {
  let cluster: Cluster
  beforeEach(async () => {
    if (server !== null) cluster = await startCluster(server)
  })
  afterEach(() => cluster?.close())

  const without = (nodes: readonly ClusterNode[], gone: ClusterNode) => nodes.filter((node) => node !== gone)
  /** Waits until the lease was renewed, or taken, so many times. */
  const renewals = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const { until } = await leaseOf(cluster)
      await eventually('the lease is renewed', async () => (await leaseOf(cluster)).until !== until)
    }
  }

  it(
    'is another node after its lease when it is paused, and none too many when it comes back',
    async () => {
      const nodes = [await cluster.startNode(), await cluster.startNode(), await cluster.startNode()]
      const former = await cluster.leaderOf(nodes)
      former.pause()
      const next = await cluster.leaderOf(without(nodes, former))
      former.resume()
      expect(await former.metric('payments_reader_leader')).toBe(0)
      await renewals(2)
      expect(await cluster.leaderOf(nodes)).toBe(next)
      expect((await leaseOf(cluster)).fence).toBe(2)
    },
    TIMEOUT,
  )

  it(
    'stays the same whatever the clocks of other nodes say, and is followed by one with a wrong clock in time',
    async () => {
      const first = await cluster.startNode()
      await cluster.leaderOf([first])
      const lease = await leaseOf(cluster)
      const others: ClusterNode[] = []
      for (const ahead of [60 * MINUTE, 30 * SECOND, -30 * SECOND]) others.push(await cluster.startNode(ahead))
      // Each of them has tried by then.
      await renewals(2)
      expect(await cluster.leaderOf([first, ...others])).toBe(first)
      expect(await leaseOf(cluster)).toMatchObject({ owner: lease.owner, fence: lease.fence })

      await first.stop()
      // The one whose clock is an hour ahead leads, and is killed: its lease and its heartbeat end like those of any other.
      for (const node of others.slice(1)) await node.stop()
      const [ahead] = others
      if (ahead === undefined) throw new Error('There is no node.')
      expect(await cluster.leaderOf([ahead])).toBe(ahead)
      const { left } = await leaseOf(cluster)
      expect(left).toBeLessThanOrEqual(30 * SECOND)
      const last = await cluster.startNode()
      await ahead.kill()
      expect(await cluster.leaderOf([last])).toBe(last)
      expect(await last.metric('payments_sweeps_total')).toBe(0)
      const [row] = await cluster.database.run(
        `SELECT abs(heartbeat_at - extract(epoch FROM clock_timestamp()) * 1000) < ${5 * MINUTE} AS near FROM meta`,
      )
      expect(row).toEqual({ near: true })
    },
    TIMEOUT,
  )
})
