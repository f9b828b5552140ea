import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RedisConfig } from '../../src/config.ts'
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
import { startTcpProxy } from '../support/tcp-proxy.ts'

const CHANNELS = 10_000
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
    channels = openRedisChannels({
      redis,
      logger,
      onText: (text) => texts.push(text),
      onAdded: () => (added += 1),
    })
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
  const publishToAll = (text: string) => channels.publish(names.map((name) => [name, `${text} ${name}`] as const))
  const received = (text: string) => texts.filter((other) => other.startsWith(`${text} `)).length
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
    channels.publish(names.slice(0, 50).map((name) => [name, `again ${name}`] as const))
    await until(() => received('again') === 50)
  })

  it('send everything before they are closed', async () => {
    channels.add('last')
    await expect.poll(() => subscribed('last')).toBe(1)
    const other = openRedis(configOf(servers), { logger })
    await until(() => other.isConnected)
    const sender = openRedisChannels({ redis: other, logger, onText: () => {}, onAdded: () => {} })
    sender.publish([...names.slice(0, 2_000), 'last'].map((name) => [name, 'the last'] as const))
    await sender.close()
    other.close()
    await until(() => texts.includes('the last'))
    expect(texts).toEqual(['the last'])
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

function configOf([server]: readonly RedisServer[]): RedisConfig {
  if (server === undefined) throw new Error('There is no server.')
  return server.config
}

describe.skipIf(!canMakeRedis())('a connection that falls silent', () => {
  it('is replaced, and its channels are heard again', async () => {
    const server = await createRedisServer()
    onTestFinished(() => server.remove())
    let isSilent = false
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: server.port }, (client, upstream) => {
      const from = isSilent
      client.on('data', (data) => (isSilent === from ? upstream.write(data) : undefined))
      upstream.on('data', (data) => (isSilent === from ? client.write(data) : undefined))
    })
    onTestFinished(() => proxy.close())
    const logger = createLogger({ level: 'silent' })
    const port = Number(new URL(proxy.through(server.url)).port)
    const redis = openRedis({ ...server.config, port }, { logger })
    onTestFinished(() => redis.close())
    const texts: string[] = []
    let added = 0
    const channels = openRedisChannels({
      redis,
      logger,
      onText: (text) => texts.push(text),
      onAdded: () => (added += 1),
    })
    onTestFinished(() => channels.close())
    channels.add('a')
    await until(() => added === 1 && redis.isConnected)
    // Nothing passes any more over what is open, and nobody is told; other connections are served.
    isSilent = true
    await until(() => !redis.isConnected)
    await until(() => added === 2 && redis.isConnected)
    channels.publish([['a', 'again']])
    await until(() => texts.length > 0)
    expect(texts).toEqual(['again'])
  })
})
