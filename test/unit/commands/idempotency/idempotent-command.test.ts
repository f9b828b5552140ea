import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { notSent, UpstreamFault } from '../../../../src/upstream/client/faults.ts'
import { linkOf, NOW, present } from '../../../contract/store/builders.ts'
import { noAnswer, REFUSED, REJECTION, setUp } from './command-fixture.ts'

describe('a command', () => {
  it('is recorded before it is sent, and ends with its result', async () => {
    const world = await setUp()
    world.answers = [
      async () => {
        expect(await world.recorded()).toMatchObject({
          state: 'SENT',
          attempt: 1,
          ref: world.sent[0],
          sentAt: NOW.getTime(),
        })
        return 'LINK-1'
      },
    ]
    expect(await world.once.run(world.task())).toEqual({ kind: 'done', result: 'LINK-1', replayed: false })
    expect(await world.recorded()).toMatchObject({ state: 'SETTLED', result: { linkId: 'LINK-1' } })
    expect((await linkOf(world.store, 'LINK-1')).ref).toBe(world.sent[0])
  })

  it('a second time gives the first result again, in this process and in another', async () => {
    const world = await setUp()
    await world.once.run(world.task())
    const again = { kind: 'done', result: `LINK-${world.sent[0]}`, replayed: true }
    expect(await world.once.run(world.task())).toEqual(again)
    expect(await world.once.earlier(world.task())).toEqual(again)
    expect(await world.neighbour().run(world.task())).toEqual(again)
    expect(await world.once.run(world.task({ replay: async () => null }))).toMatchObject({ kind: 'outcome-unknown' })
    expect(world.sent).toHaveLength(1)
  })

  it('of another caller is carried out by itself, also at the same moment', async () => {
    const world = await setUp()
    const other = world.another({ keyScope: 'caller-2', mayRead: true })
    const outcomes = await Promise.all([
      world.once.run(world.task()),
      other.run(world.task()),
      world.once.run(world.task()),
      other.run(world.task({ key: 'key-2', input: 'other' })),
    ])
    expect(outcomes.map((outcome) => outcome.kind === 'done' && outcome.replayed)).toEqual([false, false, true, false])
    expect(new Set(world.sent).size).toBe(3)
    expect(await other.earlier(world.task({ input: 'other' }))).toMatchObject({ kind: 'idempotency-conflict' })
    expect(await world.once.earlier(world.task({ key: 'key-2' }))).toBeNull()
  })

  it('with another input is a conflict, whatever became of the first', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    await world.once.run(world.task())
    await world.once.run(world.task({ key: 'key-2' }))
    for (const key of ['key-1', 'key-2']) {
      const other = world.task({ key, input: { amount: '11.00' } })
      expect(await world.once.run(other)).toEqual({ kind: 'idempotency-conflict', inProgress: false })
      expect(await world.once.earlier(other)).toEqual({ kind: 'idempotency-conflict', inProgress: false })
    }
    const reordered = world.task({ key: 'key-3', input: { a: 1, b: undefined, c: 2 } })
    await world.once.run(reordered)
    expect(await world.once.run({ ...reordered, input: { c: 2, a: 1 } })).toMatchObject({
      kind: 'done',
      replayed: true,
    })
    expect(world.sent).toHaveLength(3)
  })

  it('has no earlier use while its key is new, nor under another mutation', async () => {
    const world = await setUp()
    expect(await world.once.earlier(world.task())).toBeNull()
    await world.once.run(world.task())
    expect(await world.once.earlier(world.task({ mutation: 'another' }))).toBeNull()
    expect(await world.once.earlier(world.task({ key: 'key-1 ' }))).toBeNull()
    expect(world.sent).toHaveLength(1)
  })
})

describe('a refusal', () => {
  it('of the service is kept and given again', async () => {
    const world = await setUp()
    world.answers = [() => Promise.reject(REFUSED)]
    expect(await world.once.run(world.task())).toEqual(REJECTION)
    expect(await world.recorded()).toMatchObject({ state: 'REJECTED' })
    expect(await world.once.run(world.task())).toEqual(REJECTION)
    expect(await world.neighbour().earlier(world.task())).toEqual(REJECTION)
    expect(world.sent).toHaveLength(1)
  })

  it.each([
    [
      'credentials',
      new UpstreamFault({ kind: 'credentials', httpStatus: 401, site: 'au' }),
      { kind: 'credentials-rejected', site: 'au' },
    ],
    [
      'credentials of no site',
      new UpstreamFault({ kind: 'credentials', httpStatus: 403, site: null }),
      { kind: 'credentials-rejected', site: 'au' },
    ],
    [
      'a request too many',
      new UpstreamFault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: 7 }),
      { kind: 'upstream-unavailable', retryAfterSeconds: 7 },
    ],
    ['a request that was not sent', notSent('refused'), { kind: 'upstream-unavailable', retryAfterSeconds: null }],
  ])('of %s is not kept: the key is free again', async (_name, fault, failure) => {
    const world = await setUp()
    world.answers = [() => Promise.reject(fault)]
    expect(await world.once.run(world.task())).toEqual(failure)
    expect(await world.recorded()).toBeNull()
    expect(await world.store.inbox.knowsRef(present(world.sent[0]), ['link'])).toBe(true)
    expect(await world.once.earlier(world.task())).toBeNull()
    expect(await world.once.run(world.task())).toMatchObject({ kind: 'done', replayed: false })
  })
})

describe('many callers with one key', () => {
  it('have the service asked once, and all get what the first gets', async () => {
    const world = await setUp()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => world.once.run(world.task())))
    expect(world.sent).toHaveLength(1)
    const result = `LINK-${world.sent[0]}`
    expect(outcomes[0]).toEqual({ kind: 'done', result, replayed: false })
    for (const outcome of outcomes.slice(1)) expect(outcome).toEqual({ kind: 'done', result, replayed: true })
  })

  it('all get a failure of the first', async () => {
    const world = await setUp()
    world.answers = [() => Promise.reject(REFUSED)]
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => world.once.run(world.task())))
    for (const outcome of outcomes) expect(outcome).toEqual(REJECTION)
    expect(world.sent).toHaveLength(1)
  })

  it('and another input meet a conflict at once', async () => {
    const world = await setUp()
    const gate = Promise.withResolvers<string>()
    world.answers = [() => gate.promise]
    const first = world.once.run(world.task())
    expect(await world.once.run(world.task({ input: 'other' }))).toEqual({
      kind: 'idempotency-conflict',
      inProgress: false,
    })
    expect(await world.once.earlier(world.task({ input: 'other' }))).toEqual({
      kind: 'idempotency-conflict',
      inProgress: false,
    })
    gate.resolve('LINK-1')
    expect(await first).toMatchObject({ kind: 'done' })
  })

  it('wait for the answer no longer than their patience, and lose nothing by it', async () => {
    const world = await setUp({ patienceMs: 20 })
    const gate = Promise.withResolvers<string>()
    world.answers = [() => gate.promise]
    const first = world.once.run(world.task())
    const others = Promise.all([world.once.run(world.task()), world.once.earlier(world.task())])
    const underWay = { kind: 'idempotency-conflict', inProgress: true }
    expect(await others).toEqual([underWay, underWay])
    expect(await first).toEqual({ kind: 'outcome-unknown', operationId: (await world.recorded())?.id })
    expect(await world.recorded()).toMatchObject({ state: 'SENT' })
    gate.resolve('LINK-1')
    while ((await world.recorded())?.state === 'SENT') await setImmediate()
    expect(await world.once.run(world.task())).toEqual({ kind: 'done', result: 'LINK-1', replayed: true })
    expect(world.sent).toHaveLength(1)
  })

  it('do not hold up the callers with another key', async () => {
    const world = await setUp()
    const gate = Promise.withResolvers<string>()
    world.answers = [() => gate.promise]
    const first = world.once.run(world.task())
    while (world.sent.length === 0) await setImmediate()
    expect(await world.once.run(world.task({ key: 'key-2' }))).toMatchObject({ kind: 'done', replayed: false })
    gate.resolve('LINK-1')
    await first
  })
})
