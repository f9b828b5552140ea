import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { IdentityState } from '../../../src/domain/customers/identity-check.ts'
import { contactKey, createKeyRing, Secret } from '../../../src/keys/key-ring.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import type { IdentityRead } from '../../../src/reconciliation/subject-readers.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Follower } from '../../../src/streams/follow.ts'
import { createIdentityWatcher, type IdentityWatcher } from '../../../src/streams/identity/identity-watcher.ts'
import { createDeadlines, createStreamRegistry } from '../../../src/streams/stream-registry.ts'
import { createSites } from '../../../src/upstream/client/sites.ts'
import { openSqliteStore } from '../../support/store.ts'
import { type VirtualTime, virtualTime } from '../../support/virtual-time.ts'

const MINUTE = 60_000
const PERSON = { email: 'ada@example.test', currency: 'AUD', site: null }
const KEYS = createKeyRing([new Secret('k'.repeat(32))])
const FOREVER = { endsAt: Infinity, caller: null }

let folder: string
let store: Store
let time: VirtualTime
let answer: IdentityRead
let reads: number[]
let inFlight: number
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'identities-'))
  inFlight = 0
  time = virtualTime({ start: new Date('2030-01-02T03:04:05Z'), isQuiet: () => inFlight === 0 })
  store = await openSqliteStore({ path: join(folder, 'payments.db') })
  answer = found('pending', 1)
  reads = []
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function found(status: IdentityState['status'], results: number): IdentityRead {
  return { kind: 'done', identity: { status, results } }
}

/** Counts the calls of the store that are under way, which virtual time waits for. */
function counted<Calls extends object>(calls: Calls): Calls {
  return new Proxy(calls, {
    get: (target, name) => {
      const call = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>
      return (...args: unknown[]) => {
        inFlight += 1
        return call(...args).finally(() => (inFlight -= 1))
      }
    },
  })
}

function node({ mostContacts = 9 } = {}): IdentityWatcher {
  return createIdentityWatcher({
    store: counted(store.identityWatches),
    keys: KEYS,
    sites: createSites([{ id: 'aud', appId: 'a', secretKey: 's', currencies: ['AUD'] }]),
    read: async () => {
      reads.push(time.elapsed())
      return answer
    },
    deadlines: createDeadlines(() => time.clock().getTime()),
    streams: createStreamRegistry({ streamsPerToken: 0, streamsPerSubject: 0 }),
    clock: time.clock,
    timer: time.timer,
    logger: createLogger({ level: 'silent' }),
    mostContacts,
  })
}

async function open(watcher: IdentityWatcher, person = PERSON): Promise<Follower> {
  const opened = await watcher.open(person, FOREVER)
  if (opened.kind !== 'stream') throw new Error(`The stream was refused: ${opened.kind}.`)
  return opened.follower
}

/** Reads a stream to its end. Returns what it has told so far, `over` at its end. */
function readAll(follower: Follower): string[] {
  const told: string[] = []
  const pull = () =>
    follower.pull({
      take(item) {
        if (item.kind === 'IDENTITY') told.push(`${item.isFirst ? 'first ' : ''}${String(item.identity.status)}`)
        queueMicrotask(pull)
      },
      end: ({ kind }) => void told.push(kind),
    })
  pull()
  return told
}

const gaps = () => reads.slice(1).map((at, index) => Math.round((at - (reads[index] ?? 0)) / 1_000))

it('reads 5 seconds after a change, then at intervals that double to a minute, and ends once it is approved', async () => {
  const watcher = node()
  const told = readAll(await open(watcher))
  await time.pass(4 * MINUTE)
  expect(told).toEqual(['first pending'])
  const quiet = gaps()
  for (const [index, least] of [5, 10, 20, 40, 60, 60].entries()) {
    expect(quiet[index]).toBeGreaterThanOrEqual(least)
    expect(quiet[index]).toBeLessThanOrEqual(least + 2)
  }
  answer = found('rejected', 2)
  await time.passUntil(() => told.length === 2, 70_000)
  expect(told).toEqual(['first pending', 'rejected'])
  const before = reads.length
  await time.pass(7_000)
  expect(reads.length).toBe(before + 1)
  answer = found('approved', 3)
  await watcher.hasten(' ADA@example.test')
  await time.pass(1_000)
  expect(told).toEqual(['first pending', 'rejected', 'approved', 'over'])
  const after = reads.length
  await time.pass(10 * MINUTE)
  expect([reads.length, watcher.followers]).toEqual([after, 0])
  await watcher.close()
})

it('waits a failure out, and ends for a contact that is no longer there', async () => {
  const watcher = node()
  const told = readAll(await open(watcher))
  answer = { kind: 'upstream-unavailable', retryAfterSeconds: null }
  await time.pass(MINUTE)
  expect(told).toEqual(['first pending'])
  answer = { kind: 'not-found' }
  await time.pass(2 * MINUTE)
  expect(told).toEqual(['first pending', 'over'])
  expect(await watcher.open(PERSON, FOREVER)).toEqual({ kind: 'not-found' })
  answer = found('pending', 1)
  expect(await watcher.open({ ...PERSON, currency: 'XXX' }, FOREVER)).toEqual({ kind: 'no-site' })
  await watcher.close()
})

it('gives a slow reader the latest state alone', async () => {
  const watcher = node()
  const follower = await open(watcher)
  for (const results of [2, 3, 4]) {
    answer = found('rejected', results)
    await watcher.hasten(PERSON.email)
    await time.pass(1_000)
  }
  const told = readAll(follower)
  await time.pass(1_000)
  expect(told).toEqual(['first rejected'])
  await watcher.close()
  expect(told).toEqual(['first rejected', 'over'])
})

it('follows a bounded number of contacts, a bounded number for one caller, and forgets those that nobody follows', async () => {
  const watcher = node({ mostContacts: 4 })
  const at = (email: string, caller: string) => watcher.open({ ...PERSON, email }, { ...FOREVER, caller })
  const openFor = async (email: string, caller: string) => {
    const opened = await at(email, caller)
    if (opened.kind !== 'stream') throw new Error(`The stream was refused: ${opened.kind}.`)
    return opened.follower
  }
  const first = await openFor('a@example.test', 'one')
  await openFor('b@example.test', 'one')
  expect(await at('c@example.test', 'one')).toEqual({ kind: 'too-many' })
  await openFor('c@example.test', 'two')
  await openFor('d@example.test', 'two')
  expect(await at('e@example.test', 'three')).toEqual({ kind: 'too-many' })
  expect(await at('a@example.test', 'three')).toMatchObject({ kind: 'stream' })
  first.stop()
  expect(await at('e@example.test', 'three')).toEqual({ kind: 'too-many' })
  expect(await at('d@example.test', 'one')).toMatchObject({ kind: 'stream' })
  await watcher.close()
  expect(watcher.followers).toBe(0)
  expect(await at('a@example.test', 'one')).toMatchObject({ kind: 'upstream-unavailable' })
})

it('counts streams that are being opened for their caller, so that none takes the places of others meanwhile', async () => {
  const watcher = node({ mostContacts: 4 })
  const at = (email: string, caller: string) => watcher.open({ ...PERSON, email }, { ...FOREVER, caller })
  const held = ['a', 'b', 'c', 'd', 'e'].map((name) => at(`${name}@example.test`, 'one'))
  const other = at('z@example.test', 'two')
  expect((await Promise.all(held)).map(({ kind }) => kind)).toEqual([
    'stream',
    'stream',
    'too-many',
    'too-many',
    'too-many',
  ])
  expect(await other).toMatchObject({ kind: 'stream' })
  answer = { kind: 'not-found' }
  for (let tries = 0; tries < 5; tries += 1) expect(await at('y@example.test', 'two')).toEqual({ kind: 'not-found' })
  await watcher.close()
})

it('reads at once for the next follower after a first read that failed', async () => {
  const watcher = node()
  answer = { kind: 'upstream-unavailable', retryAfterSeconds: null }
  for (let tries = 0; tries < 4; tries += 1) expect(await watcher.open(PERSON, FOREVER)).toEqual(answer)
  answer = found('pending', 1)
  expect(await watcher.open(PERSON, FOREVER)).toMatchObject({ kind: 'stream' })
  expect([reads.length, time.elapsed()]).toEqual([5, 0])
  await watcher.close()
})

it('takes over from a node that was killed in a read, and tells what another one has read', async () => {
  const now = time.clock().getTime()
  const times = { now, followedUntil: now + MINUTE, leaseUntil: now + 30_000, most: 1 }
  await store.identityWatches.follow([contactKey(KEYS, 'aud', PERSON.email)], times)
  const watcher = node()
  const opening = open(watcher)
  await time.pass(20_000)
  expect(reads).toEqual([])
  await time.pass(20_000)
  const told = readAll(await opening)
  expect(reads.length).toBeGreaterThan(0)
  const third = node()
  const elsewhere = readAll(await open(third))
  answer = found('approved', 2)
  await third.hasten(PERSON.email)
  await time.pass(3_000)
  expect([told, elsewhere]).toEqual([
    ['first pending', 'approved', 'over'],
    ['first pending', 'approved', 'over'],
  ])
  await watcher.close()
  await third.close()
})
