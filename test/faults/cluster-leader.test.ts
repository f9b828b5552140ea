import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, eventually, fenceOf, startCluster } from './cluster.ts'

const server = await findPostgres()
const SECOND = 1_000
const TIMEOUT = 300 * SECOND

// promise(facts): A leader that was paused beyond its lease records nothing; a wrong clock neither takes nor keeps the
// lease.
describe.skipIf(server === null)('the reader of a cluster', () => {
  let cluster: Cluster
  beforeEach(async () => {
    if (server !== null) cluster = await startCluster(server)
  })
  afterEach(() => cluster?.close())

  it(
    'records nothing more once another node has taken over, although it was paused and does not know it',
    async () => {
      const nodes = [await cluster.startNode(), await cluster.startNode()]
      const former = await cluster.leaderOf(nodes)
      const other = nodes.find((node) => node !== former)
      if (other === undefined) throw new Error('There is no other node.')
      const link = await createLink(other)
      const [first, second] = [cluster.proxy.holdNextRead(), cluster.proxy.holdNextRead()]
      await cluster.sandbox.control.setStatus(link.id, 'failed')
      await first.answered
      former.pause()
      // By the clock of the database the lease is over; by its own timer the paused process has it for some seconds more.
      await cluster.age(30 * SECOND)
      expect(await cluster.leaderOf([other])).toBe(other)
      expect(await fenceOf(cluster)).toBe(2)
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
})
