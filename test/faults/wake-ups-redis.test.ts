import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FollowedPayment, followPayment, type Nodes, receiveThere, startNodes } from '../support/nodes.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { canMakeRedis, createRedisServer, type RedisServer, until } from '../support/redis-server.ts'
import { brokenLinks, gauge, sequences } from '../support/streams.ts'
import { rounds } from './rounds.ts'
import { seeded } from './seed.ts'

const server = await findPostgres()
const POLL_MS = 200
const ROUNDS = rounds({ few: 6, many: 100 })
const EVENTS = 10

// promise(streams): Redis restarted, emptied, suspended or cut off loses and repeats no event.
describe.skipIf(server === null || !canMakeRedis())('wake-ups over a Redis server that fails', () => {
  let database: Database
  let redis: RedisServer
  let nodes: Nodes

  beforeAll(async () => {
    if (server !== null) database = await server.createDatabase({ migrated: true })
    redis = await createRedisServer()
  })
  afterEach(() => nodes.close())
  afterAll(async () => {
    await redis?.remove()
    await database?.drop()
  })

  async function start({ url = redis.url, pollMs }: { url?: string; pollMs?: number } = {}): Promise<FollowedPayment> {
    nodes = await startNodes({ DATABASE_URL: database.url, REDIS_URL: url }, pollMs)
    return followPayment(nodes.first, nodes.second)
  }
  const logs = (message: string) => () => [nodes.first, nodes.second].every((node) => node.log().includes(message))

  describe('without a poll', () => {
    it('come again when the server is restarted, and what happened in between with them', async () => {
      const payment = await start()
      await redis.stop()
      await until(logs('Redis does not answer'))
      expect(await payment.send('authorised')).toBe(200)
      expect(await gauge(nodes.second, 'payments_redis_connected')).toBe(0)
      expect(await gauge(nodes.second, 'payments_wake_ups_connected')).toBe(0)
      await redis.start()
      await payment.stream.until(({ event }) => event?.toStatus === 'authorised')
      await until(logs('Redis is back'))
      expect(await receiveThere(payment)).toEqual([2, 3])
    })
  })

  it('are replaced by the poll where the server refuses the channels, which is logged once', async () => {
    await redis.run('ACL', 'SETUSER', 'app', 'on', '>secret-of-the-tests', '~*', 'resetchannels', '+@all')
    const payment = await start({ url: redis.url.replace('//', '//app:secret-of-the-tests@'), pollMs: POLL_MS })
    expect(await receiveThere(payment)).toEqual([2])
    await until(() => nodes.second.log().includes('Redis refuses a subscription'))
    const other = await followPayment(nodes.first, nodes.second)
    expect(await receiveThere(other)).toEqual([2])
    const lines = nodes.second.log().split('\n')
    expect(lines.filter((line) => line.includes('Redis refuses'))).toEqual([expect.stringContaining('NOPERM')])
    expect(nodes.second.log()).not.toContain('secret-of-the-tests')
  })

  it(`lose no event and repeat none in ${ROUNDS} rounds of faults under load`, async () => {
    const random = seeded('faults of Redis under load')
    const payment = await start({ pollMs: POLL_MS })
    let sent = 0
    const faults = [
      async () => {
        await redis.stop()
        await payment.send(`stopped_${(sent += 1)}`)
        await redis.start()
      },
      async () => {
        redis.pause()
        await payment.send(`paused_${(sent += 1)}`)
        redis.resume()
      },
      () => redis.run('FLUSHALL'),
      () => redis.run('CLIENT', 'KILL', 'TYPE', 'pubsub'),
      () => redis.run('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
    ]
    for (let round = 0; round < ROUNDS; round += 1) {
      const fault = faults[random.between(0, faults.length - 1)]
      const load = Array.from({ length: EVENTS }, (_, event) => payment.send(`status_${round}_${event}`))
      await fault?.()
      expect(new Set(await Promise.all(load))).toEqual(new Set([200]))
    }
    const [stored] = await database.run(
      `SELECT max(sequence) AS last FROM events WHERE stream_id = 'payment:${payment.id}'`,
    )
    const last = Number(stored?.['last'])
    expect(last).toBeGreaterThan(ROUNDS * EVENTS)
    await payment.stream.until(({ event }) => event?.sequence === last)
    expect(sequences(payment.stream.items)).toEqual(Array.from({ length: last - 1 }, (_, at) => at + 2))
    expect(brokenLinks(payment.stream.items)).toEqual([])
  }, 600_000)
})
