import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FollowedPayment, followPayment, type Nodes, receiveThere, startNodes } from '../support/nodes.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { canMakeServer, createOwnServer, type OwnServer } from '../support/postgres-server.ts'
import type { Database } from '../support/postgres.ts'
import { canMakeRedis, createRedisServer, until } from '../support/redis-server.ts'
import { gauge } from '../support/streams.ts'

const POLL_MS = 200
const LISTENERS = `FROM pg_stat_activity
  WHERE application_name = 'payments-subgraph' AND query ~ '^(LISTEN|SELECT pg_notify|SELECT 1$)'`

// promise(streams): Without PostgreSQL's notifications no event is lost or repeated.
describe.skipIf(!canMakeServer())('wake-ups over a PostgreSQL server that fails', () => {
  let own: OwnServer
  let database: Database
  let nodes: Nodes

  beforeAll(async () => {
    own = await createOwnServer()
    database = await own.createDatabase()
  })
  afterEach(() => nodes?.close())
  afterAll(() => own?.remove())

  async function start(env: Record<string, string> = {}, pollMs?: number): Promise<FollowedPayment> {
    nodes = await startNodes({ DATABASE_URL: database.url, ...env }, pollMs)
    return followPayment(nodes.first, nodes.second)
  }
  const logs = (message: string) => () => [nodes.first, nodes.second].every((node) => node.log().includes(message))
  const isAuthorised: Parameters<FollowedPayment['stream']['until']>[0] = ({ event }) =>
    event?.toStatus === 'authorised'

  describe('without a poll', () => {
    it('come again when the connection is cut, and what happened in between with them', async () => {
      const payment = await start()
      expect(await database.run(`SELECT count(*)::int AS count ${LISTENERS}`)).toEqual([{ count: 2 }])
      await database.run(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)
      expect(await payment.send('authorised')).toBe(200)
      await payment.stream.until(isAuthorised)
      await until(logs('notifications of the database are back'))
      expect(await receiveThere(payment)).toEqual([2, 3])
      expect(await gauge(nodes.second, 'payments_wake_ups_connected')).toBe(1)
      expect(await database.run(`SELECT count(*)::int AS count ${LISTENERS}`)).toEqual([{ count: 2 }])
    })

    it('come again when the server is restarted', async () => {
      const payment = await start()
      await own.stop()
      await until(logs('notifications of the database are lost'))
      expect(await gauge(nodes.second, 'payments_wake_ups_connected')).toBe(0)
      await own.start()
      await until(logs('notifications of the database are back'))
      expect(await receiveThere(payment)).toEqual([2])
    })
  })

  describe.skipIf(!hasPgBouncer())('behind a pooler in transaction mode', () => {
    let pooler: PgBouncer
    let direct: string
    let pooled: string

    beforeAll(async () => {
      pooler = await startPgBouncer(own, { poolSize: 5 })
      direct = database.url
      const url = new URL(direct)
      url.host = new URL(pooler.address).host
      pooled = url.href
    })
    afterAll(() => pooler?.remove())

    it.each(['', '?pooler=transaction'])('are replaced by the poll, which is logged once: %s', async (parameter) => {
      const payment = await start({ DATABASE_URL: `${pooled}${parameter}` }, POLL_MS)
      expect(await receiveThere(payment)).toEqual([2])
      await until(logs('a pooler is in front of the database'))
      const lines = nodes.second.log().split('\n')
      expect(lines.filter((line) => line.includes('a pooler is'))).toEqual([expect.stringContaining('DATABASE_URL')])
      expect(await gauge(nodes.second, 'payments_wake_ups_connected')).toBe(0)
    })

    it.skipIf(!canMakeRedis())('come over Redis', async () => {
      const redis = await createRedisServer()
      try {
        const payment = await start({ DATABASE_URL: pooled, REDIS_URL: redis.url })
        expect(await receiveThere(payment)).toEqual([2])
      } finally {
        await nodes.close()
        await redis.remove()
      }
    })
  })
})
