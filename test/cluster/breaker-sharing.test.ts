import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/observability/logger.ts'
import { openRedis, type RedisConnection } from '../../src/redis/redis-connection.ts'
import { createSharedState } from '../../src/redis/shared-counts.ts'
import { UpstreamFault } from '../../src/upstream/client/upstream-fault.ts'
import { type BreakerSharing, shareBreakers } from '../../src/upstream/resilience/breaker.ts'
import { createResiliencePolicy, type ResiliencePolicy } from '../../src/upstream/resilience/resilience-policy.ts'
import { canMakeRedis, createRedisServer, type RedisServer, until } from '../support/redis-server.ts'

type Node = {
  readonly redis: RedisConnection
  readonly sharing: BreakerSharing
  readonly policy: ResiliencePolicy
  readonly states: string[]
}

describe.skipIf(!canMakeRedis())('the shared breaker of a site', () => {
  let server: RedisServer
  let nodes: Node[]
  let now: number

  beforeAll(async () => void (server = await createRedisServer()))
  afterAll(() => server.remove())
  beforeEach(async () => {
    now = 0
    nodes = [createNode(), createNode()]
    await until(() => nodes.every(({ redis }) => redis.isConnected))
  })
  afterEach(async () => {
    for (const { redis, sharing } of nodes) {
      sharing.close()
      redis.close()
    }
    await server.run('FLUSHALL')
  })

  function createNode(): Node {
    const redis = openRedis(server.config, { logger: createLogger({ level: 'silent' }) })
    const sharing = shareBreakers(createSharedState({ redis, logId: 'log', digest: (text) => text }))
    const states: string[] = []
    const policy = createResiliencePolicy({
      concurrent: 10,
      breaker: { least: 2, openMs: 1_000, clock: () => now },
      onBreaker: (state) => states.push(state),
      share: sharing.of('aud'),
    })
    return { redis, sharing, policy, states }
  }
  const fail = (policy: ResiliencePolicy) =>
    policy
      .pass(1_000, () =>
        Promise.reject(
          new UpstreamFault({ kind: 'unknown', reason: 'timeout', httpStatus: null, retryAfterSeconds: null }),
        ),
      )
      .catch(() => undefined)
  const passes = (policy: ResiliencePolicy, request: () => Promise<unknown> = async () => true) =>
    policy.pass(1_000, request).then(
      () => true,
      () => false,
    )
  const [OPEN, PROBED, CLOSED] = [['open'], ['open', 'half-open'], ['open', 'half-open', 'closed']]

  async function openBoth(): Promise<readonly [Node, Node]> {
    const [first, second] = nodes
    if (first === undefined || second === undefined) throw new Error('There are two nodes.')
    await fail(first.policy)
    await fail(first.policy)
    await until(() => second.states.length > 0)
    expect([first.states, second.states]).toEqual([OPEN, OPEN])
    return [first, second]
  }

  it('lets one probe through at all nodes, whose answer closes it at all', async () => {
    const [first, second] = await openBoth()
    expect(await passes(second.policy)).toBe(false)
    now = 1_000
    const { promise: answer, resolve } = Promise.withResolvers<void>()
    const probe = passes(first.policy, () => answer)
    await until(() => first.states.length === 2)
    expect(await passes(second.policy)).toBe(false)
    now = 3_000
    expect(await passes(second.policy)).toBe(false)
    expect(second.states).toEqual(OPEN)
    resolve()
    expect(await probe).toBe(true)
    await until(() => second.states.length > 1)
    expect([first.states, second.states]).toEqual([CLOSED, ['open', 'closed']])
    expect(await passes(second.policy)).toBe(true)
  })

  it('stays open at all nodes after a probe that fails', async () => {
    const [first, second] = await openBoth()
    now = 1_000
    await fail(first.policy)
    expect(first.states).toEqual([...PROBED, 'open'])
    // The second node hears of it: without that its own probe would be due.
    await expect.poll(() => second.policy.isClosedOff()).toBe(true)
    expect(await passes(second.policy)).toBe(false)
    now = 2_000
    expect(await passes(second.policy)).toBe(true)
    await until(() => first.states.at(-1) === 'closed')
  })

  it('is probed by another node when nothing came of the first probe', async () => {
    const [first, second] = await openBoth()
    now = 1_000
    expect(await passes(first.policy, () => Promise.reject(new Error('was not sent')))).toBe(false)
    await expect.poll(() => server.run('KEYS', '*:probe:*')).toEqual([])
    expect(await passes(second.policy)).toBe(true)
    expect(second.states).toEqual(CLOSED)
  })

  it('is neither moved nor kept open by values that no node has stamped', async () => {
    const [first, second] = await openBoth()
    const state = createSharedState({ redis: first.redis, logId: 'log', digest: (text) => text })
    const looks = async () =>
      Number(/cmdstat_eval:calls=(\d+)/.exec(String(await server.run('INFO', 'commandstats')))?.[1])
    const id = '00000000-0000-4000-8000-000000000000'
    for (const value of [`closed:${id}`, `closed:${id}:${Math.floor((await state.now()) + 5_000)}:AAAA`]) {
      await server.run('SET', state.keyOf('breaker', 'aud'), value)
      const before = await looks()
      await expect.poll(looks).toBeGreaterThan(before + 4)
    }
    expect([first.states, second.states]).toEqual([OPEN, OPEN])
    await server.run('SET', state.keyOf('probe', 'aud'), 'a stranger')
    now = 1_000
    expect(await passes(first.policy)).toBe(true)
    expect(first.states).toEqual(CLOSED)
  })

  it('is told once to a node that starts during an outage', async () => {
    await openBoth()
    const third = createNode()
    nodes.push(third)
    await until(() => third.states.length > 0)
    expect(third.states).toEqual(OPEN)
  })
})
