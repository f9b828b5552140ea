import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ANONYMOUS } from '../../../src/access/caller.ts'
import type { Services } from '../../../src/graphql/context.ts'
import { createPublicAnswers } from '../../../src/graphql/engine/cache-policy.ts'
import type { Requester, Engine } from '../../../src/graphql/engine/engine.ts'
import type { Answer } from '../../../src/graphql/engine/request-outcome.ts'
import { createSliceScheduler } from '../../../src/lib/slice-scheduler.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { startTail } from '../../../src/streams/tail.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'
import { engineOf, METHOD, streamServices } from './streams.ts'

const answer = (json: string): Answer => ({ kind: 'answer', json, status: 200, maxAgeS: 300 })
const twice = (action: () => void) => [1, 2].forEach(action)

describe('answers to equal requests', () => {
  let now = 1_000
  const pass = (milliseconds: number) => {
    now += milliseconds
    vi.advanceTimersByTime(milliseconds)
  }
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // The cache calls `performance.now()`, so the test sets its result.
    vi.spyOn(performance, 'now').mockImplementation(() => now)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('are kept once a request comes again', () => {
    const answers = createPublicAnswers(() => 1)
    answers.keep('text', answer('one'), 1)
    expect(answers.find('text')).toBeNull()
    answers.keep('text', answer('two'), 1)
    expect(answers.find('text')?.json).toBe('two')
    expect(answers.find('text ')).toBeNull()
  })

  it('are dropped when a list has changed, also while they were made', () => {
    let version = 1
    const answers = createPublicAnswers(() => version)
    twice(() => answers.keep('text', answer('one'), version))
    version = 2
    expect(answers.find('text')).toBeNull()
    answers.keep('text', answer('one'), 1)
    expect(answers.find('text')).toBeNull()
    answers.keep('text', answer('two'), 2)
    expect(answers.find('text')?.json).toBe('two')
  })

  it('are dropped after a second, however often they are asked for', () => {
    const answers = createPublicAnswers(() => 1)
    twice(() => answers.keep('text', answer('one'), 1))
    for (let passed = 0; passed < 900; passed += 100) {
      expect(answers.find('text')?.json).toBe('one')
      pass(100)
    }
    pass(101)
    expect(answers.find('text')).toBeNull()
  })

  it('take a bounded part of the memory', () => {
    const answers = createPublicAnswers(() => 1)
    const kept = (texts: readonly string[]) => texts.filter((text) => answers.find(text) !== null)
    const many = Array.from({ length: 5_000 }, (_, index) => `request ${index}`)
    for (const text of many) twice(() => answers.keep(text, answer('short'), 1))
    expect(kept(many)).toHaveLength(500)
    const long = Array.from({ length: 100 }, (_, index) => `long ${index}`)
    for (const text of long) twice(() => answers.keep(text, answer('x'.repeat(400_000)), 1))
    expect(kept(long)).toHaveLength(19)
    twice(() => answers.keep('longer', answer('x'.repeat(600_000)), 1))
    twice(() => answers.keep('x'.repeat(8_001), answer('short'), 1))
    expect(kept(['longer', 'x'.repeat(8_001)])).toEqual([])
  })
})

const CLIENT: Requester = { caller: ANONYMOUS, fromRouter: false }

/** Creates an engine that keeps public answers, and a list with one method. */
async function setUp(parts: { find?: Services['methods']['find']; version?: () => number } = {}): Promise<Engine> {
  const { store, destroy } = await openSqliteFixture()
  const tail = await startTail({
    log: store.log,
    logger: createLogger({ level: 'silent' }),
    scheduler: createSliceScheduler(),
    pollMs: 600_000,
  })
  onTestFinished(async () => {
    tail.close()
    await destroy()
  })
  const services = streamServices(store, tail)
  const { find = services.methods.find, version = () => 1 } = parts
  const methods = { ...services.methods, find }
  return engineOf({ ...services, methods }, { publicAnswers: createPublicAnswers(version) })
}

async function askThrice(engine: Engine, query: string, asker: Partial<Requester> = {}): Promise<void> {
  for (let time = 0; time < 3; time += 1) await engine.run({ query }, { ...CLIENT, text: query, ...asker })
}

describe('an engine', () => {
  const METHOD_NAME = `{ payinMethod(code: "${METHOD.code}") { name } }`

  it('recalls an answer that is the same for everybody, for those who may ask for it', async () => {
    const engine = await setUp()
    await engine.run({ query: METHOD_NAME }, { ...CLIENT, text: 'text' })
    expect(engine.recall('text', false)).toBeNull()
    const second = await engine.run({ query: METHOD_NAME }, { ...CLIENT, text: 'text' })
    expect(engine.recall('text', false)).toBe(second)
    expect(second).toMatchObject({ json: `{"data":{"payinMethod":{"name":"${METHOD.name}"}}}` })
    expect(engine.recall('text', true)).toBeNull()
  })

  it.each([
    ['with an error', '{ payinMethod(code: "au_bank_aud") { accepts(amount: { value: "1.001", currency: "AUD" }) } }'],
    ['with a field that asks for a scope', '{ paymentCurrencies { code } payments { nodes { id } } }'],
    ['to one caller', '{ paymentCurrencies { code } payment(id: "x") { id } }'],
    ['about the schema', '{ paymentCurrencies { code } __schema { queryType { name } } }'],
    ['for the router', '{ paymentCurrencies { code } _service { sdl } }'],
    ['that says nothing of its age', '{ __typename }'],
    ['to what is refused', '{ nothing }'],
    ['to a mutation', 'mutation { refreshPayment(id: "x") { __typename } }'],
  ])('never recalls an answer %s', async (_what, query) => {
    const engine = await setUp()
    await askThrice(engine, query)
    expect(engine.recall(query, false)).toBeNull()
  })

  it('never recalls an answer with a stale part', async () => {
    const engine = await setUp({
      find: async (_code, onStale) => {
        onStale?.()
        return METHOD
      },
    })
    await askThrice(engine, METHOD_NAME)
    expect(engine.recall(METHOD_NAME, false)).toBeNull()
  })

  it('never recalls an answer that was under way when a list changed', async () => {
    let version = 0
    const engine = await setUp({
      version: () => version,
      find: async () => Object.assign({}, METHOD, { at: ++version }),
    })
    await askThrice(engine, METHOD_NAME)
    expect(engine.recall(METHOD_NAME, false)).toBeNull()
  })

  it('keeps no answer with a trace', async () => {
    const engine = await setUp()
    await askThrice(engine, METHOD_NAME, { wantsTrace: true }).catch(() => {})
    expect(engine.recall(METHOD_NAME, false)).toBeNull()
    await engine.run({ query: METHOD_NAME }, { ...CLIENT, text: METHOD_NAME })
    expect(engine.recall(METHOD_NAME, false)).toBeNull()
  })
})
