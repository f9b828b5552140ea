import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followLog, followPayment, type Nodes, receiveThere, startNodes } from '../support/nodes.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { canMakeRedis, createRedisServer, type RedisServer } from '../support/redis-server.ts'
import { PAYMENT_UPDATES } from '../support/streams.ts'

const server = await findPostgres()

// promise(data): Redis receives ids and positions, and nothing of a payer.
describe.skipIf(server === null || !canMakeRedis())('what nodes ask of Redis', () => {
  let database: Database
  let redis: RedisServer
  let nodes: Nodes
  let logId: string

  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase({ migrated: true })
    redis = await createRedisServer()
    nodes = await startNodes({ DATABASE_URL: database.url, REDIS_URL: redis.url })
    const [meta] = await database.run('SELECT log_id FROM meta')
    logId = String(meta?.['log_id'])
  })
  afterAll(async () => {
    await nodes?.close()
    await redis?.remove()
    await database?.drop()
  })

  const channels = async () => ((await redis.run('PUBSUB', 'CHANNELS')) as string[]).toSorted()

  it('is one channel for each stream that is followed, named after the log, for as long as it is followed', async () => {
    await expect.poll(channels).toEqual([])
    const payment = await followPayment(nodes.first, nodes.second)
    const log = await followLog(nodes.second)
    const all = [`payments:${logId}:log`, `payments:${logId}:payment:${payment.id}`]
    await expect.poll(channels).toEqual(all)
    const again = await nodes.second.follow(PAYMENT_UPDATES, { id: payment.id })
    await again.next()
    await payment.stream.end()
    await log.end()
    await expect.poll(channels).toEqual(all.slice(1))
    await again.end()
    await expect.poll(channels).toEqual([])
  })

  it('is no subscription per event, and nothing but ids and positions', async () => {
    const monitor = await redis.monitor()
    const payment = await followPayment(nodes.first, nodes.second)
    for (const status of ['authorised', 'waiting']) await payment.send(status)
    expect(await receiveThere(payment)).toEqual([2, 3, 4])
    await payment.stream.end()
    await expect.poll(channels).toEqual([])
    monitor.end()
    const channel = `payments:${logId}:payment:${payment.id}`
    // What nodes share besides, whose keys contain the log's id in braces.
    const isShared = (command: string) => command.includes(`payments:{${logId}}:`)
    for (const command of monitor.seen.filter(isShared)) expect(command).not.toContain(payment.id)
    // Checks of the connections, and what this test asks.
    const others = monitor.seen.filter((command) => !isShared(command))
    const seen = others.filter((command) => !/^(?:ping|hello 3|info|PUBSUB CHANNELS)$/.test(command))
    expect(seen.filter((command) => !command.startsWith('publish '))).toEqual([
      `subscribe ${channel}`,
      `unsubscribe ${channel}`,
    ])
    const published = seen.filter((command) => command.startsWith('publish '))
    expect(published.length).toBeGreaterThanOrEqual(8)
    for (const command of published)
      expect(command).toMatch(/^publish payments:[0-9a-f]{32}:(?:log|payment:[0-9a-f-]{36}) \d+$/)
  })
})
