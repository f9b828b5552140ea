import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/observability/logger.ts'
import { openRedisChannels, type RedisChannels } from '../../../src/redis/redis-channels.ts'
import { openRedis, type RedisConnection } from '../../../src/redis/redis-connection.ts'
import {
  canMakeRedis,
  createRedisCluster,
  createRedisServer,
  type RedisServer,
  until,
} from '../../support/redis-server.ts'

const CHANNELS = 10_000
const PATIENT = { timeout: 20_000 }
const KINDS = [
  { name: 'a server', createServers: async (): Promise<readonly RedisServer[]> => [await createRedisServer()] },
  { name: 'a cluster', createServers: createRedisCluster },
] as const

describe.skipIf(!canMakeRedis()).each(KINDS)('channels of $name', ({ createServers }) => {
  const logger = createLogger({ level: 'silent' })
  let servers: readonly RedisServer[]
  let redis: RedisConnection
  let channels: RedisChannels
  let texts: string[]
  let added: number

  beforeAll(async () => void (servers = await createServers()))
  beforeEach(async () => {
    const [server] = servers
    if (server === undefined) throw new Error('There is no server.')
    texts = []
    added = 0
    redis = openRedis(server.config, { logger })
    channels = openRedisChannels({
      redis,
      logger,
      onText: (text) => texts.push(text),
      onAdded: () => (added += 1),
    })
    await until(() => redis.isConnected && channels.isConnected)
  })
  afterEach(() => {
    channels.close()
    redis.close()
  })
  afterAll(async () => {
    for (const server of servers) await server.remove()
  })

  const names = Array.from({ length: CHANNELS }, (_, index) => `stream-${index}`)
  const publishToAll = (text: string) => channels.publish(names.map((name) => [name, `${text} ${name}`] as const))
  const received = (text: string) => texts.filter((other) => other.startsWith(`${text} `)).length
  const subscribed = async () => {
    const counts = await Promise.all(
      servers.map(async (server) => {
        const [name = ''] = names
        const shard = server.config.cluster ? 'SHARDNUMSUB' : 'NUMSUB'
        const reply = await server.run('PUBSUB', shard, name).catch(() => [])
        return Number((reply as unknown[])[1] ?? 0)
      }),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  it('are heard by the thousand, from when they are added until they are removed', async () => {
    for (const name of names) channels.add(name)
    await until(() => added >= CHANNELS / 500)
    await expect
      .poll(
        () => {
          publishToAll('all')
          return new Set(texts).size
        },
        { interval: 1_000, timeout: 20_000 },
      )
      .toBe(CHANNELS)
    for (const name of names.slice(1)) channels.remove(name)
    channels.publish([['stream-0', 'end first']])
    await until(() => received('end') === 1)
    channels.remove('stream-0')
    await expect.poll(subscribed, PATIENT).toBe(0)
  })

  it('are heard again after their connection is cut', async () => {
    for (const name of names.slice(0, 50)) channels.add(name)
    await until(() => added > 0)
    await expect.poll(subscribed, PATIENT).toBe(1)
    const before = added
    for (const server of servers) await server.run('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => added > before)
    await expect.poll(subscribed, PATIENT).toBe(1)
    await until(() => redis.isConnected)
    channels.publish(names.slice(0, 50).map((name) => [name, `again ${name}`] as const))
    await until(() => received('again') === 50)
  })

  it('bring the last text of each channel once the server is back', async () => {
    channels.add('a')
    await until(() => added > 0)
    for (const server of servers) server.pause()
    await until(() => !redis.isConnected)
    for (const text of ['1', '2', '3']) channels.publish([['a', text]])
    for (const server of servers) server.resume()
    await until(() => texts.includes('3'))
    expect(texts).toEqual(['3'])
  })
})
