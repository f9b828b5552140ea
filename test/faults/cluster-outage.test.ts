import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, eventually, heartbeats, startCluster, sweepsOf } from './cluster.ts'

const server = await findPostgres()
const MINUTE = 60_000
const TIMEOUT = 5 * MINUTE

// promise(facts): After an outage of all nodes there is one sweep, whichever nodes start, with any clocks.
describe.skipIf(server === null)('an outage of a cluster', () => {
  let cluster: Cluster
  beforeEach(async () => {
    if (server !== null) cluster = await startCluster(server)
  })
  afterEach(() => cluster?.close())

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

      const nodes = await Promise.all([-60, 0, 60].map((minutes) => cluster.startNode(minutes * MINUTE)))
      await eventually('there was a sweep', async () => (await sweepsOf(nodes)) > 0)
      await eventually(
        'the payment is read',
        async () => (await historyOf(nodes[0] ?? before, link.id)).payment?.status === 'RECEIVED',
      )
      await heartbeats(cluster, 2)
      expect(await sweepsOf(nodes)).toBe(1)
    },
    TIMEOUT,
  )
})
