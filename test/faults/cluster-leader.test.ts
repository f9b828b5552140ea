import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, type ClusterNode, eventually, startCluster } from './cluster.ts'

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
  const leaseRow = async () => {
    const [row = {}] = await cluster.database.run(
      `SELECT owner, fence, until, until - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS left FROM leases`,
    )
    return {
      owner: String(row['owner']),
      fence: Number(row['fence']),
      until: String(row['until']),
      left: Number(row['left']),
    }
  }
  /** Waits until the lease was renewed, or taken, so many times. */
  const renewals = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const { until } = await leaseRow()
      await eventually('the lease is renewed', async () => (await leaseRow()).until !== until)
    }
  }

  it(
    'records nothing more once another node has taken over, although it was paused and does not know it',
    async () => {
      const nodes = [await cluster.startNode(), await cluster.startNode()]
      const former = await cluster.leaderOf(nodes)
      const [other] = without(nodes, former)
      if (other === undefined) throw new Error('There is no other node.')
      const link = await createLink(other)
      const [first, second] = [cluster.proxy.holdNextRead(), cluster.proxy.holdNextRead()]
      await cluster.sandbox.control.setStatus(link.id, 'failed')
      await first.answered
      former.pause()
      // By the clock of the database the lease is over; by its own timer the paused process has it for some seconds more.
      await cluster.age(30 * SECOND)
      expect(await cluster.leaderOf([other])).toBe(other)
      expect((await leaseRow()).fence).toBe(2)
      await second.answered

      first.release()
      former.resume()
      await eventually(
        'the former leader has the answer',
        async () => (await former.metric('payments_reads_total', 'superseded')) === 1,
      )
      expect(await other.metric('payments_reads_waiting')).toBe(1)

      second.release()
      await eventually('the payment is read', async () => (await other.metric('payments_reads_waiting')) === 0)
      expect(await cluster.leaderOf(nodes)).toBe(other)
      expect(await former.metric('payments_reads_total')).toBe(1)
    },
    TIMEOUT,
  )

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
      expect((await leaseRow()).fence).toBe(2)
    },
    TIMEOUT,
  )

  it(
    'stays the same whatever the clocks of other nodes say, and is followed by one with a wrong clock in time',
    async () => {
      const first = await cluster.startNode()
      await cluster.leaderOf([first])
      const lease = await leaseRow()
      const others: ClusterNode[] = []
      for (const ahead of [60 * MINUTE, 30 * SECOND, -30 * SECOND]) others.push(await cluster.startNode(ahead))
      // Each of them has tried by then.
      await renewals(2)
      expect(await cluster.leaderOf([first, ...others])).toBe(first)
      expect(await leaseRow()).toMatchObject({ owner: lease.owner, fence: lease.fence })

      await first.stop()
      // The one whose clock is an hour ahead leads, and is killed: its lease and its heartbeat end like those of any other.
      for (const node of others.slice(1)) await node.stop()
      const [ahead] = others
      if (ahead === undefined) throw new Error('There is no node.')
      expect(await cluster.leaderOf([ahead])).toBe(ahead)
      const { left } = await leaseRow()
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
