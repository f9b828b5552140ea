import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CanaryService, startCanaryService } from '../support/canary-service.ts'
import type { Network } from '../support/network.ts'
import { type NodeCluster, startNodeCluster } from '../support/node-cluster.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { canMakeRedis, createRedisServer, type RedisServer } from '../support/redis-server.ts'

const server = await findPostgres()
const BALANCES = '{ balances(currencies: ["AUD"]) { currency } }'
const OUTAGE = { status: 500, body: '' }
const OPEN = 'payments_upstream_breaker_open{site="aud"} 1'

describe.skipIf(server === null || !canMakeRedis())('the circuit breakers of three nodes', () => {
  let database: Database
  let redis: RedisServer
  let service: CanaryService
  let cluster: NodeCluster

  beforeEach(async () => {
    if (server === null) return
    database = await server.createDatabase({ migrated: true })
    redis = await createRedisServer()
    service = await startCanaryService()
    cluster = await startNodeCluster(database, redis, {
      upstreamUrl: service.url,
      breaker: { least: 4, openMs: 1_000 },
    })
    service.target = cluster.nodes[0].sandbox.origin
  })
  afterEach(async () => {
    await cluster?.close()
    await service?.close()
    await redis?.remove()
    await database?.drop()
  })

  const isOpen = async (node: Network) => (await (await fetch(`${node.app.url}/metrics`)).text()).includes(OPEN)
  const states = () => Promise.all(cluster.nodes.map(isOpen))
  /** Asks until the breaker of this node is in a state. */
  const ask = async (node: Network, open: boolean) => {
    const state = async () => {
      await node.ask(BALANCES)
      return isOpen(node)
    }
    await expect.poll(state).toBe(open)
  }

  it('open with that of one, without a call of their own, and close with it', async () => {
    const [first, second] = cluster.nodes
    service.answer = OUTAGE
    await ask(first, true)
    await expect.poll(states).toEqual([true, true, true])
    service.answer = null
    await ask(second, false)
    await expect.poll(states).toEqual([false, false, false])
  })

  it.each([
    ['killed', () => redis.stop()],
    ['suspended', async () => redis.pause()],
  ])('have their own states while Redis is %s', async (_what, fault) => {
    const [first, second] = cluster.nodes
    service.answer = OUTAGE
    await ask(first, true)
    await expect.poll(states).toEqual([true, true, true])
    await fault()
    service.answer = null
    await ask(second, false)
    expect(await isOpen(first)).toBe(true)
    await ask(first, false)
  })

  it('are not moved by nonsense in Redis', async () => {
    const [first, second] = cluster.nodes
    service.answer = OUTAGE
    await ask(first, true)
    await expect.poll(states).toEqual([true, true, true])
    for (const key of (await redis.run('KEYS', '*:breaker:*')) as string[]) {
      await redis.run('DEL', key)
      await redis.run('HSET', key, 'closed', 'closed')
    }
    service.answer = null
    await ask(second, false)
    await expect.poll(states).toEqual([false, false, false])
  })
})
