import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followLog, followPayment, type Nodes, receiveThere, startNodes } from '../support/nodes.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { canMakeRedis, createRedisCluster, createRedisServer, type RedisServer } from '../support/redis-server.ts'
import { brokenLinks, gauge, isReceived } from '../support/streams.ts'

const server = await findPostgres()
const hasRedis = canMakeRedis()

const TRANSPORTS = [
  { name: 'PostgreSQL', isPossible: true, createServers: async () => [] },
  { name: 'Redis', isPossible: hasRedis, createServers: async () => [await createRedisServer()] },
  { name: 'a Redis cluster', isPossible: hasRedis, createServers: createRedisCluster },
] as const

// promise(streams): An event that one node commits wakes the subscribers of another.
describe.each(TRANSPORTS)('wake-ups over $name, without a poll', ({ isPossible, createServers }) => {
  describe.skipIf(server === null || !isPossible)('between two nodes', () => {
    let database: Database
    let servers: readonly RedisServer[] = []
    let nodes: Nodes

    beforeAll(async () => {
      if (server === null) return
      database = await server.createDatabase({ migrated: true })
      servers = await createServers()
      const [redis] = servers
      nodes = await startNodes({ DATABASE_URL: database.url, ...(redis && { REDIS_URL: redis.url }) })
    })
    afterAll(async () => {
      await nodes?.close()
      for (const redis of servers) await redis.remove()
      await database?.drop()
    })

    it('bring an event of one node to subscribers of another, of its payment and of the whole log', async () => {
      const log = await followLog(nodes.second)
      const payment = await followPayment(nodes.first, nodes.second)
      expect(await receiveThere(payment)).toEqual([2])
      await log.until(isReceived)
      expect(brokenLinks(payment.stream.items)).toEqual([])
      expect(brokenLinks(log.items)).toEqual([])
      expect(await gauge(nodes.second, 'payments_wake_ups_connected')).toBe(1)
      await Promise.all([log.end(), payment.stream.end()])
    })

    it('bring the events of many payments to their subscribers, in both directions', async () => {
      const { first, second } = nodes
      const there = Array.from({ length: 10 }, () => followPayment(first, second))
      const back = Array.from({ length: 10 }, () => followPayment(second, first))
      const payments = await Promise.all([...there, ...back])
      expect(new Set((await Promise.all(payments.map(receiveThere))).flat())).toEqual(new Set([2]))
      await Promise.all(payments.map(({ stream }) => stream.end()))
    })
  })
})
