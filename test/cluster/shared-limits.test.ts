import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Network } from '../support/network.ts'
import { type NodeCluster, startNodeCluster } from '../support/node-cluster.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { canMakeRedis, createRedisServer, type RedisServer, until } from '../support/redis-server.ts'
import { openSocket, type RawSocket } from '../support/socket.ts'
import { send } from '../support/webhooks.ts'

const server = await findPostgres()
const LIMIT = 20
const TOGETHER = LIMIT * 1.2
const ADDRESS = '192.0.2.7'

// promise(streams): Nodes count limits together through Redis; without it each counts alone, and no request fails.
describe.skipIf(server === null || !canMakeRedis())('limits of three nodes', () => {
  let database: Database
  let redis: RedisServer
  let cluster: NodeCluster
  let sockets: RawSocket[]

  beforeEach(async () => {
    if (server === null) return
    sockets = []
    database = await server.createDatabase({ migrated: true })
    redis = await createRedisServer()
    cluster = await startNodeCluster(database, redis, {
      env: {
        TRUST_PROXY: '127.0.0.1',
        SOCKET_LIMITS: `perAddress=${LIMIT},initMs=600000`,
        MAX_FAILED_AUTHENTICATIONS: String(LIMIT),
      },
    })
  })
  afterEach(async () => {
    for (const socket of sockets) socket.close()
    await cluster?.close()
    await redis?.remove()
    await database?.drop()
  })

  /** Opens a socket from the address. Returns whether it was not refused. */
  const opens = (node: Network, address = ADDRESS) =>
    openSocket(node.app.url, { headers: { 'x-forwarded-for': address } }).then(
      (socket) => {
        sockets.push(socket)
        return true
      },
      () => false,
    )
  const openAll = async (node: Network) => {
    let opened = 0
    while (opened <= LIMIT && (await opens(node))) opened += 1
    return opened
  }
  /** What each node has told, by the hash of the only holder; empty without one. */
  const told = async () => {
    const [key] = (await redis.run('KEYS', '*:count:*')) as string[]
    const values = key === undefined ? [] : ((await redis.run('HVALS', key)) as string[])
    return values.map((value) => Number(value.split(':')[0])).toSorted((a, b) => b - a)
  }
  const wrong = async (node: Network) => {
    const { status } = await send(`${node.app.url}/graphql`, {
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer no.real.token',
        'x-forwarded-for': ADDRESS,
      },
      body: '{"query":"{ __typename }"}',
    })
    return status
  }

  it('let an address open about as many sockets as one node would, and as many again when they are closed', async () => {
    const [first, second, third] = cluster.nodes
    expect(await openAll(first)).toBe(LIMIT)
    await expect.poll(told).toEqual([LIMIT])
    // A tenth of the limit is told.
    expect([await opens(second), await opens(second)]).toEqual([true, true])
    await expect.poll(told).toEqual([LIMIT, 2])
    await expect.poll(() => opens(second)).toBe(false)
    expect([await opens(third), await opens(third)]).toEqual([true, true])
    await expect.poll(told).toEqual([LIMIT, 2, 2])
    await expect.poll(() => opens(third)).toBe(false)
    expect(sockets.length).toBeLessThanOrEqual(TOGETHER)
    expect(await opens(third, '192.0.2.8')).toBe(true)
    const names = (await redis.run('KEYS', '*')) as string[]
    for (const name of names) expect(name).toMatch(/^payments:\{[0-9a-f]{32}\}:[\w:-]+:[\w-]{43}$/)
    for (const name of names) expect(Number(await redis.run('PTTL', name))).toBeGreaterThan(0)

    for (const socket of sockets) socket.close()
    await expect.poll(told).toEqual([])
    expect(await openAll(second)).toBe(LIMIT)
  })

  it('count wrong credentials together, and let good ones through', async () => {
    const [first, second] = cluster.nodes
    for (let turn = 0; turn <= LIMIT; turn += 1) expect(await wrong(first)).toBe(401)
    expect(await wrong(first)).toBe(429)
    const other: number[] = []
    await expect.poll(async () => other.push(await wrong(second)) > 0 && other.at(-1)).toBe(429)
    expect(other.length).toBeLessThan(LIMIT)
    const { status } = await second.ask('{ __typename }', {}, { headers: { 'x-forwarded-for': ADDRESS } })
    expect(status).toBe(200)
  })

  it.each([
    ['killed', () => redis.stop()],
    ['suspended', async () => redis.pause()],
  ])('are those of each node once Redis is %s, and no request fails', async (_what, fault) => {
    const [first, second] = cluster.nodes
    expect(await openAll(first)).toBe(LIMIT)
    await expect.poll(told).toEqual([LIMIT])
    expect(await opens(second)).toBe(true)
    await expect.poll(() => opens(second)).toBe(false)
    await fault()
    const statuses = Array.from({ length: 20 }, async () => (await second.ask('{ __typename }')).status)
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
    await until(() => second.log().includes('Redis does not answer'))
    await expect.poll(() => opens(second)).toBe(true)
    for (let turn = 0; turn < LIMIT; turn += 1) await opens(second)
    expect(await opens(second)).toBe(false)
    expect(await opens(first)).toBe(false)
    expect(sockets.length).toBe(2 * LIMIT)
  })

  it.each([
    ['text', ['SET', 'PLACE', 'nonsense']],
    ['a list', ['RPUSH', 'PLACE', 'a']],
    ['other fields', ['HSET', 'PLACE', 'x', 'y', 'z', '99:99999999999999', '', '1e9:1']],
  ])('hold where Redis has %s instead', async (_what, [command = '', , ...values]) => {
    const [first, second] = cluster.nodes
    expect(await openAll(first)).toBe(LIMIT)
    await expect.poll(told).toEqual([LIMIT])
    const [key = ''] = (await redis.run('KEYS', '*:count:*')) as string[]
    await redis.run('DEL', key)
    await redis.run(command, key, ...values)
    await expect.poll(() => redis.run('HLEN', key).catch(() => 0)).toBe(1)
    expect(await opens(second)).toBe(true)
    await expect.poll(() => opens(second)).toBe(false)
  })
})
