import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_SITES } from '../../src/sandbox/index.ts'
import type { Network } from '../support/network.ts'
import { type NodeCluster, startNodeCluster } from '../support/node-cluster.ts'
import { type Database, findPostgres } from '../support/postgres.ts'
import { canMakeRedis, createRedisServer, type RedisServer } from '../support/redis-server.ts'

const server = await findPostgres()
const METHODS =
  '{ payinMethods { nodes { code name currency minAmount { value } traits { refundable } } stale unavailable } }'
const FIELDS = '{ payinMethod(code: "au_alias_npp_aud") { requiredFields { name type required label raw } } }'

type MethodList = {
  readonly nodes: readonly unknown[]
  readonly stale: boolean
  readonly unavailable: readonly string[]
}

describe.skipIf(server === null || !canMakeRedis())('method lists of three nodes', () => {
  let database: Database
  let redis: RedisServer
  let cluster: NodeCluster

  beforeEach(async () => {
    if (server === null) return
    database = await server.createDatabase({ migrated: true })
    redis = await createRedisServer()
    cluster = await startNodeCluster(database, redis)
  })
  afterEach(async () => {
    await cluster?.close()
    await redis?.remove()
    await database?.drop()
  })

  const lists = (nodes: readonly Network[]) =>
    Promise.all(
      nodes.map(async (node) => {
        const { data, errors } = await node.ask<{ payinMethods: MethodList }>(METHODS, {}, { token: null })
        expect(errors).toBeUndefined()
        return data.payinMethods
      }),
    )
  const calls = () =>
    cluster.nodes[0].sandbox.control.calls().filter(({ path }) => path === '/api/v3/payin_methods').length
  const sharedKeys = async (kind = 'payin-2') => {
    const keys = (await redis.run('KEYS', `*:methods:${kind}:*`)) as string[]
    return keys.filter((key) => !key.endsWith(':lease'))
  }

  it('are loaded once for all, whoever asks first', async () => {
    const [first, second, third] = await lists(cluster.nodes)
    expect(first?.nodes.length).toBeGreaterThan(DEFAULT_SITES.length)
    expect(first).toMatchObject({ stale: false, unavailable: [] })
    expect([second, third]).toEqual([first, first])
    expect(calls()).toBe(DEFAULT_SITES.length)
    const keys = await sharedKeys()
    expect(keys).toHaveLength(DEFAULT_SITES.length)
    for (const key of keys) {
      expect(key).toMatch(/^payments:\{[0-9a-f]{32}\}:methods:payin-2:[\w-]{43}$/)
      expect(await redis.run('PTTL', key)).toBeGreaterThan(0)
    }
  })

  it('come with required fields that are loaded once for all, too', async () => {
    const fields = (index: number) =>
      Promise.all(
        cluster.nodes
          .slice(index, index + 1)
          .map(async (node) => (await node.ask(FIELDS, {}, { token: null })).data['payinMethod']),
      )
    const reads = () =>
      cluster.nodes[0].sandbox.control
        .calls()
        .filter(({ path }) => path.startsWith('/api/v2/payins/payin_method/params'))
    const [first] = await fields(0)
    expect(first).toMatchObject({
      requiredFields: expect.arrayContaining([expect.objectContaining({ name: 'callback_url', required: true })]),
    })
    expect(await fields(1)).toEqual([first])
    expect(reads()).toHaveLength(1)
    const [key = ''] = await sharedKeys('payin-fields-1')
    expect(await redis.run('PTTL', key)).toBeGreaterThan(0)
    await redis.run('SET', key, 'nonsense', 'PX', '60000')
    expect(await fields(2)).toEqual([first])
    expect(reads()).toHaveLength(2)
  })

  it.each([
    ['text', (key: string) => ['SET', key, 'nonsense', 'PX', '60000']],
    ['a sealed list of another site', (key: string, other: string) => ['COPY', other, key, 'REPLACE']],
    ['a list without its seal', (key: string) => ['SET', key, `${'x'.repeat(43)} []`, 'PX', '60000']],
    ['a value that does not expire', (key: string) => ['PERSIST', key]],
    ['a hash', null],
  ])('are loaded again where Redis has %s instead', async (_what, command) => {
    const [known] = await lists(cluster.nodes.slice(0, 1))
    const keys = await sharedKeys()
    for (const [index, key] of keys.entries()) {
      if (command === null) {
        await redis.run('DEL', key)
        await redis.run('HSET', key, 'a', 'b')
      } else {
        const [name = '', ...args] = command(key, keys[(index + 1) % keys.length] ?? '')
        await redis.run(name, ...args)
      }
    }
    const before = calls()
    expect(await lists(cluster.nodes.slice(1, 2))).toEqual([known])
    expect(calls()).toBeGreaterThan(before)
  })

  it.each([
    ['stopped', () => redis.stop()],
    ['suspended', async () => redis.pause()],
    ['refusing to write', () => redis.run('CONFIG', 'SET', 'maxmemory', '1')],
  ])('are loaded by each node while Redis is %s', async (_what, fault) => {
    await fault()
    const [first, second, third] = await lists(cluster.nodes)
    expect(first).toMatchObject({ stale: false, unavailable: [] })
    expect([second, third]).toEqual([first, first])
    await expect.poll(calls).toBe(cluster.nodes.length * DEFAULT_SITES.length)
  })

  it('are loaded by another node when the one that was to load them is gone', async () => {
    await lists(cluster.nodes.slice(0, 1))
    for (const key of await sharedKeys()) {
      await redis.run('DEL', key)
      await redis.run('SET', `${key}:lease`, 'a node that was killed', 'PX', '600000')
    }
    const [list] = await lists(cluster.nodes.slice(1, 2))
    expect(list).toMatchObject({ stale: false, unavailable: [] })
  })
})
