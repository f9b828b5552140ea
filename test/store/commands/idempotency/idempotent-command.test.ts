import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { COMMAND_PATIENCE_MS } from '../../../../src/upstream/client/transport.ts'
import { notSent, UpstreamFault } from '../../../../src/upstream/upstream-fault.ts'
import { linkOf, NOW, present } from '../../contract/builders.ts'
import { noAnswer, REFUSED, REJECTION, sendUnanswered, setUp } from './command-fixture.ts'

describe('a command', () => {
  it('is recorded before it is sent, and ends with its result', async () => {
    const fixture = await setUp()
    fixture.answers = [
      async () => {
        expect(await fixture.recorded()).toMatchObject({
          state: 'SENT',
          attempt: 1,
          ref: fixture.sent[0],
          sentAt: NOW.getTime(),
        })
        return 'LINK-1'
      },
    ]
    expect(await fixture.once.run(fixture.task())).toEqual({ kind: 'done', result: 'LINK-1', replayed: false })
    expect(await fixture.recorded()).toMatchObject({ state: 'SETTLED', result: { linkId: 'LINK-1' } })
    expect((await linkOf(fixture.store, 'LINK-1')).ref).toBe(fixture.sent[0])
  })

  it('a second time gives the first result again, in this process and in another', async () => {
    const fixture = await setUp()
    await fixture.once.run(fixture.task())
    const again = { kind: 'done', result: `LINK-${fixture.sent[0]}`, replayed: true }
    expect(await fixture.once.run(fixture.task())).toEqual(again)
    expect(await fixture.once.earlier(fixture.task())).toEqual(again)
    expect(await fixture.neighbour().run(fixture.task())).toEqual(again)
    expect(await fixture.once.run(fixture.task({ replay: async () => null }))).toMatchObject({
      kind: 'outcome-unknown',
    })
    expect(fixture.sent).toHaveLength(1)
  })

  it('of another caller is carried out by itself, also at the same moment', async () => {
    const fixture = await setUp()
    const other = fixture.another({ keyScope: 'caller-2', requestedBy: null })
    const outcomes = await Promise.all([
      fixture.once.run(fixture.task()),
      other.run(fixture.task()),
      fixture.once.run(fixture.task()),
      other.run(fixture.task({ key: 'key-2', input: 'other' })),
    ])
    expect(outcomes.map((outcome) => outcome.kind === 'done' && outcome.replayed)).toEqual([false, false, true, false])
    expect(new Set(fixture.sent).size).toBe(3)
    expect(await other.earlier(fixture.task({ input: 'other' }))).toMatchObject({ kind: 'idempotency-conflict' })
    expect(await fixture.once.earlier(fixture.task({ key: 'key-2' }))).toBeNull()
  })

  it('with another input is a conflict, whatever became of the first', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    await fixture.once.run(fixture.task())
    await fixture.once.run(fixture.task({ key: 'key-2' }))
    for (const key of ['key-1', 'key-2']) {
      const other = fixture.task({ key, input: { amount: '11.00' } })
      expect(await fixture.once.run(other)).toEqual({ kind: 'idempotency-conflict', inProgress: false })
      expect(await fixture.once.earlier(other)).toEqual({ kind: 'idempotency-conflict', inProgress: false })
    }
    const reordered = fixture.task({ key: 'key-3', input: { a: 1, b: undefined, c: 2 } })
    await fixture.once.run(reordered)
    expect(await fixture.once.run({ ...reordered, input: { c: 2, a: 1 } })).toMatchObject({
      kind: 'done',
      replayed: true,
    })
    expect(fixture.sent).toHaveLength(3)
  })

  it('whose input has no form in JSON rejects, and begins no work whose promise nobody holds', async () => {
    const fixture = await setUp()
    await fixture.once.run(fixture.task())
    const unheld: unknown[] = []
    const note = (error: unknown) => void unheld.push(error)
    process.on('unhandledRejection', note)
    for (const key of ['key-1', 'key-2'])
      for (const use of [fixture.once.run, fixture.once.earlier])
        await use(fixture.task({ key, input: { amount: Infinity } })).catch(note)
    for (let turn = 0; turn < 10; turn += 1) await setImmediate()
    process.off('unhandledRejection', note)
    expect(unheld.map(String)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('no form in JSON')))
    expect(fixture.sent).toHaveLength(1)
  })

  it('has no earlier use while its key is new, nor under another mutation', async () => {
    const fixture = await setUp()
    expect(await fixture.once.earlier(fixture.task())).toBeNull()
    await fixture.once.run(fixture.task())
    expect(await fixture.once.earlier(fixture.task({ mutation: 'another' }))).toBeNull()
    expect(await fixture.once.earlier(fixture.task({ key: 'key-1 ' }))).toBeNull()
    expect(fixture.sent).toHaveLength(1)
  })
})

describe('a refusal', () => {
  it('of the payments API is kept and given again', async () => {
    const fixture = await setUp()
    fixture.answers = [() => Promise.reject(REFUSED)]
    expect(await fixture.once.run(fixture.task())).toEqual(REJECTION)
    expect(await fixture.recorded()).toMatchObject({ state: 'REJECTED' })
    expect(await fixture.once.run(fixture.task())).toEqual(REJECTION)
    expect(await fixture.neighbour().earlier(fixture.task())).toEqual(REJECTION)
    expect(fixture.sent).toHaveLength(1)
  })

  it.each([
    [
      'credentials',
      new UpstreamFault({ kind: 'credentials', httpStatus: 401, site: 'au' }),
      { kind: 'credentials-rejected', site: 'au' },
    ],
    [
      'credentials of no site',
      new UpstreamFault({ kind: 'credentials', httpStatus: 401, site: null }),
      { kind: 'credentials-rejected', site: 'au' },
    ],
    [
      'a request that is not allowed',
      new UpstreamFault({ kind: 'forbidden', httpStatus: 403, code: 'NOT_ALLOWED', message: 'No', fields: [] }),
      {
        kind: 'upstream-rejected',
        httpStatus: 403,
        upstreamCode: 'NOT_ALLOWED',
        problems: [{ path: [], message: 'No' }],
      },
    ],
    [
      'a request too many',
      new UpstreamFault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: 7 }),
      { kind: 'upstream-unavailable', retryAfterSeconds: 7 },
    ],
    ['a request that was not sent', notSent('refused'), { kind: 'upstream-unavailable', retryAfterSeconds: null }],
  ])('of %s is not kept: the key is free again', async (_name, fault, failure) => {
    const fixture = await setUp()
    fixture.answers = [() => Promise.reject(fault)]
    expect(await fixture.once.run(fixture.task())).toEqual(failure)
    expect(await fixture.recorded()).toBeNull()
    expect(await fixture.store.inbox.knowsRef(present(fixture.sent[0]), ['link'])).toBe(true)
    expect(await fixture.once.earlier(fixture.task())).toBeNull()
    expect(await fixture.once.run(fixture.task())).toMatchObject({ kind: 'done', replayed: false })
  })
})

describe('many callers with one key', () => {
  it('have the payments API asked once, and all get what the first gets', async () => {
    const fixture = await setUp()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => fixture.once.run(fixture.task())))
    expect(fixture.sent).toHaveLength(1)
    const result = `LINK-${fixture.sent[0]}`
    expect(outcomes[0]).toEqual({ kind: 'done', result, replayed: false })
    for (const outcome of outcomes.slice(1)) expect(outcome).toEqual({ kind: 'done', result, replayed: true })
  })

  it('all get a failure of the first', async () => {
    const fixture = await setUp()
    fixture.answers = [() => Promise.reject(REFUSED)]
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => fixture.once.run(fixture.task())))
    for (const outcome of outcomes) expect(outcome).toEqual(REJECTION)
    expect(fixture.sent).toHaveLength(1)
  })

  it('and another input meet a conflict at once', async () => {
    const fixture = await setUp()
    const gate = Promise.withResolvers<string>()
    fixture.answers = [() => gate.promise]
    const first = fixture.once.run(fixture.task())
    expect(await fixture.once.run(fixture.task({ input: 'other' }))).toEqual({
      kind: 'idempotency-conflict',
      inProgress: false,
    })
    expect(await fixture.once.earlier(fixture.task({ input: 'other' }))).toEqual({
      kind: 'idempotency-conflict',
      inProgress: false,
    })
    gate.resolve('LINK-1')
    expect(await first).toMatchObject({ kind: 'done' })
  })

  it('wait for the answer no longer than their patience, and lose nothing by it', async () => {
    const fixture = await setUp()
    const gate = Promise.withResolvers<string>()
    fixture.answers = [() => gate.promise]
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const first = fixture.once.run(fixture.task())
    while (fixture.sent.length === 0) await setImmediate()
    let isAnswered = false
    const others = Promise.all([fixture.once.run(fixture.task()), fixture.once.earlier(fixture.task())]).finally(
      () => (isAnswered = true),
    )
    while (!isAnswered) {
      await setImmediate()
      vi.advanceTimersByTime(COMMAND_PATIENCE_MS)
    }
    const underWay = { kind: 'idempotency-conflict', inProgress: true }
    expect(await others).toEqual([underWay, underWay])
    expect(await first).toEqual({ kind: 'outcome-unknown', operationId: (await fixture.recorded())?.id })
    expect(await fixture.recorded()).toMatchObject({ state: 'SENT' })
    gate.resolve('LINK-1')
    while ((await fixture.recorded())?.state === 'SENT') await setImmediate()
    expect(await fixture.once.run(fixture.task())).toEqual({ kind: 'done', result: 'LINK-1', replayed: true })
    expect(fixture.sent).toHaveLength(1)
  })

  it('do not hold up the callers with another key', async () => {
    const fixture = await setUp()
    const { outcome, answer } = await sendUnanswered(fixture)
    expect(await fixture.once.run(fixture.task({ key: 'key-2' }))).toMatchObject({ kind: 'done', replayed: false })
    answer('LINK-1')
    await outcome
  })
})
