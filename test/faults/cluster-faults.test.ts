import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canMakeServer } from '../support/postgres-server.ts'
import { canMakeRedis, createRedisServer, type RedisServer } from '../support/redis-server.ts'
import { type ReplaceableServer, startReplaceableServer } from './cluster-servers.ts'
import { type Cluster, type ClusterNode, eventually, type SharedServer, startCluster } from './cluster.ts'
import { followLogAt, type LogFollower } from './log-follower.ts'
import { startLoad, type Load } from './node-load.ts'
import { casesOf, FULL } from './rounds.ts'
import { seeded } from './seed.ts'
import { tell } from './tell.ts'

/** The clocks of the three nodes, relative to the machine's. */
const CLOCKS_MS = [-30_000, 0, 30_000]
/** Faults in every run of the tests, each another one; in a full run so many at random. */
const FEW = 4
const MANY = Number(process.env['ROUNDS'] ?? 100)
/** Longest time for which something is suspended, in milliseconds; a lease expires after 30 s. */
const SUSPENDED_MS = FULL ? 35_000 : 2_000

const TIMEOUT_MS = FULL ? 10_800_000 : 300_000

const random = seeded('faults of a cluster')

// promise(kept): Three nodes with clocks thirty seconds apart survive faults of PostgreSQL, Redis and each other; every
// subscriber sees each event once and in order.
describe.skipIf(!canMakeServer() || !canMakeRedis())('three nodes under load', () => {
  let postgres: ReplaceableServer
  let redis: RedisServer
  let cluster: Cluster
  let nodes: ClusterNode[]
  let followers: LogFollower[]
  let load: Load

  // For each test, since one that is tried again needs nodes and load that run.
  beforeEach(async () => {
    postgres = await startReplaceableServer()
    redis = await createRedisServer()
    cluster = await startCluster(postgres.server, { REDIS_URL: redis.url })
    nodes = await Promise.all(CLOCKS_MS.map((ahead) => cluster.startNode(ahead)))
    followers = await Promise.all(nodes.map((_, index) => followLogAt(() => nodes[index]?.url ?? '')))
    load = startLoad(urls(), { commands: 0, copies: nodes.length })
  })
  afterEach(async () => {
    await load?.stop()
    await Promise.all((followers ?? []).map((follower) => follower.stop()))
    await cluster?.close()
    await redis?.remove()
    await postgres?.remove()
  })

  const urls = () => nodes.map(({ url }) => url)
  const anyNode = () => random.between(0, nodes.length - 1)
  const suspended = () => sleep(random.between(SUSPENDED_MS / 2, SUSPENDED_MS))

  /** Each leaves the cluster able to go on. */
  const faults: Readonly<Record<string, () => Promise<void>>> = {
    'PostgreSQL killed': async () => {
      await postgres.primary().aim()()
      await postgres.primary().start()
    },
    'PostgreSQL restarted': async () => {
      await postgres.primary().stop()
      await postgres.primary().start()
    },
    'PostgreSQL suspended': async () => {
      postgres.primary().pause()
      await suspended()
      postgres.primary().resume()
    },
    'connection cut in a commit': async () => {
      const { cuts } = postgres
      postgres.cutCommit()
      await eventually('a commit is cut', async () => postgres.cuts > cuts)
    },
    'standby promoted': () => postgres.failOver(),
    'Redis restarted': async () => {
      await redis.stop()
      await suspended()
      await redis.start()
    },
    'Redis suspended, then flushed': async () => {
      redis.pause()
      await suspended()
      redis.resume()
      await redis.run('FLUSHALL')
    },
    'node killed': async () => {
      const index = anyNode()
      await nodes[index]?.kill()
      nodes[index] = await cluster.startNode(CLOCKS_MS[index])
      load.nodes.clear()
      for (const url of urls()) load.nodes.add(url)
    },
    'node suspended': async () => {
      const node = nodes[anyNode()]
      node?.pause()
      await suspended()
      node?.resume()
    },
    'node cut off from PostgreSQL': () => cutOff('DATABASE_URL'),
    'node cut off from Redis': () => cutOff('REDIS_URL'),
  }

  async function cutOff(from: SharedServer): Promise<void> {
    const node = nodes[anyNode()]
    node?.cutOff(from)
    await suspended()
    node?.heal()
  }

  it(
    'lose nothing that was acknowledged, and no subscriber sees a gap or a repeat, whatever fails',
    async () => {
      const counts = new Map<string, number>()
      const names = Object.keys(faults)
      const happen = FULL
        ? Array.from({ length: MANY }, () => names[random.between(0, names.length - 1)] ?? '')
        : casesOf('what fails in a cluster', names, FEW)
      for (const name of happen) {
        await load.more()
        await faults[name]?.()
        await load.more()
        counts.set(name, (counts.get(name) ?? 0) + 1)
        await cluster.leaderOf(nodes)
      }
      await load.stop()
      expect(load.faults).toEqual([])
      const log = await stored("SELECT stream_id || '.' || sequence AS id FROM events ORDER BY position")
      await eventually('every subscriber has every event', async () =>
        followers.every(({ events }) => events.length >= log.length),
      )
      for (const { events, faults: seen } of followers) {
        expect(seen).toEqual([])
        expect(events).toEqual(log)
      }
      const payments = await stored('SELECT subject_id AS id FROM deliveries ORDER BY number')
      expect(new Set(payments).size).toBe(payments.length)
      expect([...load.payments].filter((id) => !payments.includes(id))).toEqual([])
      expect(log).toHaveLength(payments.length)
      for (const [name, count] of counts) tell(`${String(count).padStart(4)} × ${name}`)
      tell(`${load.payments.size} webhooks acknowledged, each sent to ${nodes.length} nodes; 0 lost, 0 gaps, 0 repeats`)
    },
    TIMEOUT_MS,
  )

  async function stored(query: string): Promise<string[]> {
    return (await cluster.database.run(query)).map(({ id }) => String(id))
  }
})
