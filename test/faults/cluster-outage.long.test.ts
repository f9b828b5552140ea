import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findPostgres } from '../support/postgres.ts'
import { type Cluster, eventually, heartbeats, startCluster, sweepsOf } from './cluster.ts'

const server = await findPostgres()
const MINUTE = 60_000
const TIMEOUT = 8 * MINUTE

describe.skipIf(server === null)('an outage of a cluster', () => {
  let cluster: Cluster
  beforeEach(async () => {
    if (server !== null) cluster = await startCluster(server)
  })
  afterEach(() => cluster?.close())

  /** Waits until a leader has written a heartbeat: it does so right after it has become one. */
  const isFresh = () =>
    eventually('the heartbeat is fresh', async () => {
      const rows = await cluster.database.run(
        `SELECT 1 FROM meta WHERE heartbeat_at > extract(epoch FROM clock_timestamp()) * 1000 - ${MINUTE}`,
      )
      return rows.length > 0
    })

  it(
    'is none while one node lives: neither the death nor the pause of a leader leads to a sweep',
    async () => {
      const nodes = await Promise.all([-60, 0, 60].map((minutes) => cluster.startNode(minutes * MINUTE)))
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
      await heartbeats(cluster, 2)
      expect(await sweepsOf(rest)).toBe(0)
      const [meta] = await cluster.database.run('SELECT sweep_from FROM meta')
      expect(meta).toEqual({ sweep_from: null })
    },
    TIMEOUT,
  )
})
