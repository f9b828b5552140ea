import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RedisConfig } from '../../src/config/database.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { openRedisChannels, type RedisChannels } from '../../src/redis/redis-channels.ts'
import { openRedis, type RedisConnection } from '../../src/redis/redis-connection.ts'
import {
  canMakeRedis,
  createRedisCluster,
  createRedisServer,
  type RedisServer,
  until,
} from '../support/redis-server.ts'

const CHANNELS = 2_000
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
    texts = []
    added = 0
    redis = openRedis(configOf(servers), { logger })
    channels = openRedisChannels({ redis, logger, onText: (text) => texts.push(text), onAdded: () => (added += 1) })
    await until(() => redis.isConnected && channels.isConnected)
  })
  afterEach(async () => {
    await channels.close()
    redis.close()
  })
  afterAll(async () => {
    for (const server of servers) await server.remove()
  })

  const names = Array.from({ length: CHANNELS }, (_, index) => `stream-${index}`)
  /** Publishes texts until each was heard: Redis may lose any of them. */
  async function hears(text: string, at: readonly string[]) {
    const heard = () => {
      channels.publish(at.map((name) => [name, `${text} ${name}`] as const))
      return new Set(texts.filter((other) => other.startsWith(`${text} `))).size
    }
    await expect.poll(heard, { interval: 200 }).toBe(at.length)
  }

  /** Returns how many texts the servers were asked to publish. */
  const published = async () => {
    const stats = await Promise.all(servers.map(async (server) => String(await server.run('INFO', 'commandstats'))))
    return Array.from(stats.join('').matchAll(/cmdstat_s?publish:calls=(\d+)/g), ([, calls]) => Number(calls)).reduce(
      (sum, calls) => sum + calls,
      0,
    )
  }
  /** Returns how many connections are subscribed to the first channel. */
  const subscribed = async (name = 'stream-0') => {
    const counts = await Promise.all(
      servers.map(async (server) => {
        const command = server.config.cluster ? 'SHARDNUMSUB' : 'NUMSUB'
        // On a cluster only one of the servers has the channel.
        const reply = await server.run('PUBSUB', command, name).catch(() => [])
        return Number((reply as unknown[])[1] ?? 0)
      }),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }

  it('are heard by the thousand, from when they are added until they are removed', async () => {
    for (const name of names) channels.add(name)
    await until(() => added >= CHANNELS / 500)
    await hears('all', names)
    for (const name of names.slice(1)) channels.remove(name)
    await hears('end', names.slice(0, 1))
    channels.remove('stream-0')
    await expect.poll(() => subscribed()).toBe(0)
  })

  it('are heard again after their connection is cut', async () => {
    for (const name of names.slice(0, 50)) channels.add(name)
    await until(() => added > 0)
    await expect.poll(() => subscribed()).toBe(1)
    const before = added
    for (const server of servers) await server.run('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => added > before)
    await expect.poll(() => subscribed()).toBe(1)
    await until(() => redis.isConnected)
    await hears('again', names.slice(0, 50))
  })

  it('send everything before they are closed', async () => {
    /** Returns how many of the texts were sent, which are all unless Redis did not answer in time. */
    const sendAndClose = async () => {
      const before = await published()
      const other = openRedis(configOf(servers), { logger })
      await until(() => other.isConnected)
      const sender = openRedisChannels({ redis: other, logger, onText: () => {}, onAdded: () => {} })
      sender.publish(names.map((name) => [name, 'the last'] as const))
      await sender.close()
      other.close()
      return (await published()) - before
    }
    await expect.poll(sendAndClose).toBe(CHANNELS)
  })

  it('are sent the last text of each once the server is back', async () => {
    const monitors = await Promise.all(servers.map((server) => server.monitor()))
    onTestFinished(() => {
      for (const { end } of monitors) end()
    })
    for (const server of servers) server.pause()
    await until(() => !redis.isConnected)
    for (const text of ['1', '2', '3']) channels.publish([['a', text]])
    for (const server of servers) server.resume()
    const sent = () => monitors.flatMap(({ seen }) => seen.filter((line) => /^s?publish a /i.test(line)))
    await expect.poll(sent).not.toEqual([])
    expect(sent().map((line) => line.at(-1))).toEqual(['3'])
  })
})

function configOf([server]: readonly RedisServer[]): RedisConfig {
  if (server === undefined) throw new Error('There is no server.')
  return server.config
}
