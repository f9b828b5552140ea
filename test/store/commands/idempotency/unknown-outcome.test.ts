import { describe, expect, it } from 'vitest'
import { IncompleteSearchError } from '../../../../src/upstream/endpoints/agreement-endpoints.ts'
import { command, NOW, present } from '../../contract/builders.ts'
import { LEASE_MS, type LinkTask, noAnswer, passes, sendUnanswered, setUp } from './command-fixture.ts'

// promise(commands): A command without a response is looked up, and sent again only where that is safe.
describe('a command of which nobody knows the outcome', () => {
  it('is settled by the trace that it left', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    const { id } = present(await fixture.once.run(fixture.task()).then(() => fixture.recorded()))
    expect(await fixture.recorded()).toMatchObject({ state: 'UNKNOWN' })
    expect(await fixture.once.run(fixture.task())).toEqual({ kind: 'outcome-unknown', operationId: id })
    fixture.trace = async (ref) => `FOUND-${ref}`
    const found = { kind: 'done', result: `FOUND-${fixture.sent[0]}`, replayed: true }
    expect(await fixture.once.earlier(fixture.task())).toEqual(found)
    fixture.trace = () => Promise.reject(new Error('Not asked any more.'))
    expect(await fixture.once.run(fixture.task())).toEqual(found)
    expect(fixture.sent).toHaveLength(1)
  })

  it('is never sent again where that could do it twice', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    await fixture.once.run(fixture.task())
    passes(fixture, 365 * 86_400_000)
    expect(await fixture.once.run(fixture.task())).toMatchObject({ kind: 'outcome-unknown' })
    expect(fixture.sent).toHaveLength(1)
  })

  it('is sent again under a new correlation id after its time, when it left no trace', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    const task = fixture.task({ repeatAfterMs: 60_000 })
    await fixture.once.run(task)
    passes(fixture, 59_999)
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    expect(fixture.sent).toHaveLength(1)
    passes(fixture, 1)
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'done', replayed: false })
    expect(new Set(fixture.sent).size).toBe(2)
    expect(await fixture.recorded()).toMatchObject({ state: 'SETTLED', attempt: 2, ref: fixture.sent[1] })
    for (const ref of fixture.sent) expect(await fixture.store.inbox.knowsRef(ref, ['link'])).toBe(true)
  })

  it('is not sent again while what is known of an earlier attempt forbids it', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    let allowed = false
    const task = fixture.task({
      repeatAfterMs: 60_000,
      mayRepeat: async ({ ref }) => allowed && ref === fixture.sent[0],
    })
    await fixture.once.run(task)
    passes(fixture, 60_000)
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    expect(await fixture.recorded()).toMatchObject({ state: 'UNKNOWN', attempt: 1 })
    expect(fixture.sent).toHaveLength(1)
    allowed = true
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'done', replayed: false })
  })

  it.each([
    ['was not answered', noAnswer],
    ['was cut short', () => Promise.reject(new IncompleteSearchError())],
  ])('is not sent again while the search for its trace %s', async (_name, search) => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    const task = fixture.task({ repeatAfterMs: 60_000 })
    await fixture.once.run(task)
    passes(fixture, 60_000)
    fixture.trace = search
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    expect(fixture.sent).toHaveLength(1)
    fixture.trace = async () => null
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'done', replayed: false })
  })

  it('is sent again all the same where the payments API keeps the key unique', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    const task = fixture.task({ repeatAfterMs: 60_000, uniqueUpstream: true })
    await fixture.once.run(task)
    passes(fixture, 60_000)
    fixture.trace = () => Promise.reject(new IncompleteSearchError())
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'done' })
    expect(fixture.sent).toHaveLength(2)
  })

  it('counts its time from the latest attempt', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer, noAnswer]
    const task = fixture.task({ repeatAfterMs: 60_000 })
    await fixture.once.run(task)
    passes(fixture, 60_000)
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    passes(fixture, 59_999)
    await fixture.once.run(task)
    expect(fixture.sent).toHaveLength(2)
    passes(fixture, 1)
    expect(await fixture.once.run(task)).toMatchObject({ kind: 'done' })
    expect(fixture.sent).toHaveLength(3)
  })

  it('is one when a bug of ours ended the attempt, and the bug is not hidden', async () => {
    const fixture = await setUp()
    fixture.answers = [() => Promise.reject(new TypeError('A bug.'))]
    await expect(fixture.once.run(fixture.task())).rejects.toThrow('A bug.')
    expect(await fixture.recorded()).toMatchObject({ state: 'UNKNOWN' })
    expect(await fixture.once.run(fixture.task())).toMatchObject({ kind: 'outcome-unknown' })
  })

  it('is one when the record could not be ended, until the trace is found', async () => {
    const fixture = await setUp()
    const task = fixture.task()
    let failures = 1
    const failing: LinkTask = {
      ...task,
      settle: (...parts) => (failures-- > 0 ? Promise.reject(new Error('The disk is full.')) : task.settle(...parts)),
    }
    expect(await fixture.once.run(failing)).toMatchObject({ kind: 'outcome-unknown' })
    fixture.trace = async (ref) => `LINK-${ref}`
    expect(await fixture.once.run(failing)).toEqual({ kind: 'idempotency-conflict', inProgress: true })
    passes(fixture, LEASE_MS)
    expect(await fixture.once.run(failing)).toEqual({ kind: 'done', result: `LINK-${fixture.sent[0]}`, replayed: true })
    expect(fixture.sent).toHaveLength(1)
  })

  it('stays one when the trace was found and the record could not be ended', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    await fixture.once.run(fixture.task())
    fixture.trace = async (ref) => `LINK-${ref}`
    const failing = fixture.task({ settle: () => Promise.reject(new Error('The disk is full.')) })
    expect(await fixture.once.run(failing)).toMatchObject({ kind: 'outcome-unknown' })
    expect(await fixture.once.run(fixture.task())).toMatchObject({ kind: 'done', replayed: true })
    expect(fixture.sent).toHaveLength(1)
  })
})

describe('the lease of another process', () => {
  it('that is live means that the command is under way', async () => {
    const fixture = await setUp()
    const { outcome, answer } = await sendUnanswered(fixture)
    const neighbour = fixture.neighbour()
    const underWay = { kind: 'idempotency-conflict', inProgress: true }
    expect(await neighbour.run(fixture.task())).toEqual(underWay)
    expect(await neighbour.earlier(fixture.task())).toEqual(underWay)
    passes(fixture, LEASE_MS - 1)
    expect(await neighbour.run(fixture.task())).toEqual(underWay)
    answer('LINK-1')
    expect(await outcome).toMatchObject({ kind: 'done', result: 'LINK-1' })
    expect(await neighbour.run(fixture.task())).toMatchObject({ kind: 'done', result: 'LINK-1', replayed: true })
    expect(fixture.sent).toHaveLength(1)
  })

  it('ends with that process, and an answer that comes meanwhile counts', async () => {
    const fixture = await setUp()
    const { outcome, answer } = await sendUnanswered(fixture)
    await fixture.once.run(fixture.task({ key: 'answered' }))
    await fixture.endProcess()
    expect(await fixture.recorded('answered')).toMatchObject({ state: 'SETTLED' })
    expect(await fixture.recorded()).toMatchObject({ state: 'UNKNOWN' })
    expect(await fixture.neighbour().run(fixture.task())).toMatchObject({ kind: 'outcome-unknown' })
    answer('LINK-1')
    expect(await outcome).toMatchObject({ kind: 'done', result: 'LINK-1' })
    expect(await fixture.neighbour().run(fixture.task())).toMatchObject({ result: 'LINK-1', replayed: true })
    expect(fixture.sent).toHaveLength(2)
  })

  it('that has ended means that nobody knows the outcome', async () => {
    const fixture = await setUp()
    const ended = NOW.getTime() + LEASE_MS
    const { fingerprint } = present(
      await fixture.once.run(fixture.task({ key: 'any' })).then(() => fixture.recorded('any')),
    )
    await fixture.store.commands.begin(command('lost', { key: 'key-1', fingerprint, leaseUntil: ended }))
    passes(fixture, LEASE_MS - 1)
    expect(await fixture.once.run(fixture.task())).toEqual({ kind: 'idempotency-conflict', inProgress: true })
    passes(fixture, 1)
    expect(await fixture.once.run(fixture.task())).toMatchObject({ kind: 'outcome-unknown' })
    expect(await fixture.recorded()).toMatchObject({ state: 'UNKNOWN', ref: 'lost' })
    fixture.trace = async (ref) => (ref === 'lost' ? 'LINK-lost' : null)
    expect(await fixture.once.run(fixture.task())).toEqual({ kind: 'done', result: 'LINK-lost', replayed: true })
    expect(fixture.sent).toHaveLength(1)
  })

  it('lets only one of two processes take an unknown command up again', async () => {
    const fixture = await setUp()
    fixture.answers = [noAnswer]
    const task = fixture.task({ repeatAfterMs: 0 })
    await fixture.once.run(task)
    const outcomes = await Promise.all([fixture.once.run(task), fixture.neighbour().run(task)])
    expect(fixture.sent).toHaveLength(2)
    const kinds = outcomes.map((outcome) => (outcome.kind === 'done' ? 'done' : outcome))
    expect(kinds).toContain('done')
    expect(kinds.every((kind) => kind === 'done' || kind.kind === 'idempotency-conflict')).toBe(true)
  })
})
