import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { BreakerSettings } from '../../src/upstream/resilience/breaker.ts'
import { open, serve, site } from '../e2e/upstream/open.ts'
import { answer, type Script } from '../e2e/upstream/scripted-service.ts'
import { newSeed, randomFrom } from './random.ts'
import { rounds } from './rounds.ts'

const CALLERS = 40
/** Calls of each caller. */
const CALLS = rounds({ few: 8, many: 120 })
/** Milliseconds: errors arrive sooner than answers. */
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
  const { failed, aud, jpy, others } = await brownOut(seed, breaker)
  const calls = CALLERS * CALLS
  expect(failed).toBeGreaterThan(0)
  // A third of the answers are errors: a breaker that opens for that would make it worse.
  expect(failed).toBeLessThan(calls / 2)
  expect(aud.length - distinct(aud).size).toBeLessThanOrEqual(RESERVE + calls * 0.1)
  const posts = aud.filter(({ line }) => line.startsWith('POST '))
  expect(distinct(posts).size).toBe(posts.length)
  expect(jpy).toHaveLength(others)
  expect(others).toBeGreaterThan(0)
})

/** Returns the requests of both sites, of which one fails often. */
async function brownOut(seed: number, breaker: Partial<BreakerSettings>) {
  const random = randomFrom(seed)
  const suffer: Script = (socket, request) => {
    if (random() < FAILING) WAYS[Math.floor(random() * WAYS.length)]?.(socket, request)
    else later(socket, () => OK(socket, request))
  }
  const service = await serve((socket, request) => (isOf('aud', request) ? suffer : OK)(socket, request))
  const transport = open(service.baseUrl, { random, breaker })
  const ask = (id: 'aud' | 'jpy') =>
    transport.request(site(id), random() < 0.5 ? { method: 'GET', path: '/' } : { method: 'POST', path: '/', body: {} })

  let [failed, others] = [0, 0]
  let isOver = false
  const suffering = async () => {
    for (let call = 0; call < CALLS; call += 1) {
      // After an immediate rejection the caller waits as long as for an answer.
      await ask('aud').catch(() => {
        failed += 1
        return sleep(SLOW_MS)
      })
    }
  }
  const unaware = async () => {
    for (; !isOver; others += 1) await ask('jpy')
  }
  const unawares = [unaware(), unaware()]
  await Promise.all(Array.from({ length: CALLERS }, suffering))
  isOver = true
  await Promise.all(unawares)
  const arrived = (id: string) => service.requests.filter((request) => isOf(id, request))
  return { failed, others, aud: arrived('aud'), jpy: arrived('jpy') }
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
