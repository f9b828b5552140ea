import { createHmac } from 'node:crypto'
import { expect, it, onTestFinished, test } from 'vitest'
import { createLogger } from '../../src/observability/logger.ts'
import { openRedis } from '../../src/redis/redis-connection.ts'
import { createSharedState, shareCounts, type SharedState } from '../../src/redis/shared-counts.ts'
import { canMakeRedis, createRedisServer, type RedisServer, until } from '../support/redis-server.ts'

function connect(server: RedisServer, key = 'key of the nodes'): SharedState {
  const redis = openRedis(server.config, { logger: createLogger({ level: 'silent' }) })
  onTestFinished(() => redis.close())
  const digest = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return createSharedState({ redis, logId: 'log', digest })
}

function countsOf(state: SharedState) {
  const sharing = shareCounts(state)
  onTestFinished(() => sharing.close())
  return sharing.share('sockets', 20)
}

// promise(sockets): Counts in Redis are keyed and sealed: foreign or replayed ones are ignored.
test.skipIf(!canMakeRedis())('a count that no node has stamped is none', async () => {
  const server = await createRedisServer()
  onTestFinished(() => server.remove())
  const states = [connect(server), connect(server), connect(server, 'key of a stranger')] as const
  await until(() => states.every(({ redis }) => redis.isConnected))
  const [first, second] = [countsOf(states[0]), countsOf(states[1])]
  first.set('payer', 10)
  second.set('payer', 5)
  await expect.poll(() => second.others('payer')).toBe(10)

  const key = states[0].keyOf('count:sockets', 'payer')
  const soon = (await states[0].now()) + 2_000
  const fields = (await server.run('HGETALL', key)) as string[]
  const ofFirst = fields.find((value) => value.startsWith('10:')) ?? ''
  await server.run(
    'HSET',
    key,
    'plain',
    `1000:${Math.floor(soon)}`,
    'forged',
    states[2].stamp('1000', `${key}\nforged`, soon),
    'ours',
    states[0].stamp('1000', `${key}\nother`, soon),
    'repeated',
    ofFirst,
    'changed',
    ofFirst.replace('10:', '1000:'),
  )
  first.set('payer', 12)
  await expect.poll(() => second.others('payer')).toBe(12)
  expect(first.others('payer')).toBe(5)
})

it('a stamp counts for its name, its text and its time alone', () => {
  const { stamp, stamped } = createSharedState({ redis: null as never, logId: 'log', digest: (text) => `<${text}>` })
  const now = Date.UTC(2026, 0)
  const value = stamp('open:1', 'breaker', now + 3_000)
  expect(stamped(value, 'breaker', now)).toBe('open:1')
  expect(stamped(value, 'breaker', now + 3_000)).toBeNull()
  expect(stamped(value, 'breaker', now - 10_000)).toBeNull()
  expect(stamped(value, 'other', now)).toBeNull()
  for (const other of [
    '',
    'open:1',
    value.replace('open', 'shut'),
    value.replace(':1', ':2'),
    `${value} `,
    `0${value}`,
  ])
    expect(stamped(other, 'breaker', now)).toBeNull()
})
