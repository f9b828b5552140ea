import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { AttemptSeen } from '../../src/upstream/client/transport.ts'
import type { BreakerSettings } from '../../src/upstream/resilience/breaker.ts'
import { open, serve, site } from '../e2e/upstream/open.ts'
import { answer, type Script } from '../e2e/upstream/scripted-service.ts'
import { expectTook } from '../support/took.ts'
import { newSeed, randomFrom } from './random.ts'
import { rounds } from './rounds.ts'

const LASTS_MS = rounds({ few: 4_000, many: 60_000 })
const CALLERS = 40
const SLOW_MS = 500
const FAILING = 0.3
/** Retries that a site may make before the ratio to its requests limits them. */
const RESERVE = 10
const OK = answer(200, '{}')

const WAYS: readonly Script[] = [
  answer(500),
  answer(503, '', { 'retry-after': '1' }),
  (socket) => socket.resetAndDestroy(),
]

/** Part of the tests' names; TEST_SEED repeats the run. */
const SEED = newSeed()

// promise(upstream): In a brown-out retries add at most a tenth to the load, and one site does not slow down another.
it.each([
  ['with its breaker', SEED, {}],
  // Without the breaker, only the retry budget limits the load.
  ['by the budget of retries alone', SEED + 1, { least: Number.POSITIVE_INFINITY }],
])('a brown-out of one site adds a tenth to its load, and the other does not notice: %s, seed %i', async (...row) => {
  const [, seed, breaker] = row
  const { calls, failed, aud, jpy, others, waits } = await brownOut(seed, breaker)
  expect(calls).toBeGreaterThan(CALLERS)
  expect(failed).toBeGreaterThan(0)
  // A third of the answers are errors: a breaker that opens for that would make it worse.
  expect(failed).toBeLessThan(calls / 2)
  expect(aud.length - distinct(aud).size).toBeLessThanOrEqual(RESERVE + calls * 0.1)
  const posts = aud.filter(({ line }) => line.startsWith('POST '))
  expect(distinct(posts).size).toBe(posts.length)
  expect(jpy).toHaveLength(others)
  expect(others).toBeGreaterThan(0)
  // Half of the delay of the failing site: shared slots would make the other site's callers wait longer.
  expectTook(waits[Math.floor(waits.length * 0.99)] ?? Infinity, SLOW_MS / 2)
})

/** Returns the requests of both sites, of which one fails often, and the sorted durations of the other one's attempts in milliseconds. */
async function brownOut(seed: number, breaker: Partial<BreakerSettings>) {
  const random = randomFrom(seed)
  const suffer: Script = (socket, request) => {
    if (random() < FAILING) WAYS[Math.floor(random() * WAYS.length)]?.(socket, request)
    else later(socket, () => OK(socket, request))
  }
  const service = await serve((socket, request) => (isOf('aud', request) ? suffer : OK)(socket, request))
  const waits: number[] = []
  const observe = ({ siteId, durationMs }: AttemptSeen) => void (siteId === 'jpy' && waits.push(durationMs))
  const transport = open(service.baseUrl, { random, breaker, observe })
  const until = performance.now() + LASTS_MS
  const ask = (id: 'aud' | 'jpy') =>
    transport.request(site(id), random() < 0.5 ? { method: 'GET', path: '/' } : { method: 'POST', path: '/', body: {} })

  let [calls, failed, others] = [0, 0, 0]
  const suffering = async () => {
    for (; performance.now() < until; calls += 1) {
      // After an immediate rejection the caller waits as long as for an answer.
      await ask('aud').catch(() => {
        failed += 1
        return sleep(SLOW_MS)
      })
    }
  }
  const unaware = async () => {
    for (; performance.now() < until; others += 1) await ask('jpy')
  }
  await Promise.all([...Array.from({ length: CALLERS }, suffering), unaware(), unaware()])
  const arrived = (id: string) => service.requests.filter((request) => isOf(id, request))
  return { calls, failed, others, aud: arrived('aud'), jpy: arrived('jpy'), waits: waits.toSorted((a, b) => a - b) }
}

type Seen = Parameters<Script>[1]

function isOf(id: string, { headers }: Seen): boolean {
  return headers.get('app-id') === `app-${id}`
}

/** Returns the requests without their retries. */
function distinct(requests: readonly Seen[]): Set<string | undefined> {
  return new Set(requests.map(({ headers }) => headers.get('x-request-id')))
}

function later(socket: Socket, reply: () => void): void {
  const timer = setTimeout(reply, SLOW_MS)
  socket.on('close', () => clearTimeout(timer))
}
