import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { IncompleteSearchError } from '../../../../src/upstream/endpoints/search-pages.ts'
import { command, NOW, present } from '../../../contract/store/builders.ts'
import { LEASE_MS, type LinkTask, noAnswer, passes, setUp } from './command-fixture.ts'

describe('a command of which nobody knows the outcome', () => {
  it('is settled by the trace that it left', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    const { id } = present(await world.once.run(world.task()).then(() => world.recorded()))
    expect(await world.recorded()).toMatchObject({ state: 'UNKNOWN' })
    expect(await world.once.run(world.task())).toEqual({ kind: 'outcome-unknown', operationId: id })
    world.trace = async (ref) => `FOUND-${ref}`
    const found = { kind: 'done', result: `FOUND-${world.sent[0]}`, replayed: true }
    expect(await world.once.earlier(world.task())).toEqual(found)
    world.trace = () => Promise.reject(new Error('Not asked any more.'))
    expect(await world.once.run(world.task())).toEqual(found)
    expect(world.sent).toHaveLength(1)
  })

  it('is never sent again where that could do it twice', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    await world.once.run(world.task())
    passes(world, 365 * 86_400_000)
    expect(await world.once.run(world.task())).toMatchObject({ kind: 'outcome-unknown' })
    expect(world.sent).toHaveLength(1)
  })

  it('is sent again under a new correlator after its time, when it left no trace', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    const task = world.task({ repeatAfterMs: 60_000 })
    await world.once.run(task)
    passes(world, 59_999)
    expect(await world.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    expect(world.sent).toHaveLength(1)
    passes(world, 1)
    expect(await world.once.run(task)).toMatchObject({ kind: 'done', replayed: false })
    expect(new Set(world.sent).size).toBe(2)
    expect(await world.recorded()).toMatchObject({ state: 'SETTLED', attempt: 2, ref: world.sent[1] })
    for (const ref of world.sent) expect(await world.store.inbox.knowsRef(ref, ['link'])).toBe(true)
  })

  it('is not sent again while what is known of an earlier attempt forbids it', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    let allowed = false
    const task = world.task({ repeatAfterMs: 60_000, mayRepeat: async ({ ref }) => allowed && ref === world.sent[0] })
    await world.once.run(task)
    passes(world, 60_000)
    expect(await world.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    expect(await world.recorded()).toMatchObject({ state: 'UNKNOWN', attempt: 1 })
    expect(world.sent).toHaveLength(1)
    allowed = true
    expect(await world.once.run(task)).toMatchObject({ kind: 'done', replayed: false })
  })

  it.each([
    ['was not answered', noAnswer],
    ['was cut short', () => Promise.reject(new IncompleteSearchError())],
  ])('is not sent again while the search for its trace %s', async (_name, search) => {
    const world = await setUp()
    world.answers = [noAnswer]
    const task = world.task({ repeatAfterMs: 60_000 })
    await world.once.run(task)
    passes(world, 60_000)
    world.trace = search
    expect(await world.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    expect(world.sent).toHaveLength(1)
    world.trace = async () => null
    expect(await world.once.run(task)).toMatchObject({ kind: 'done', replayed: false })
  })

  it('is sent again all the same where the payments API keeps the key unique', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    const task = world.task({ repeatAfterMs: 60_000, uniqueUpstream: true })
    await world.once.run(task)
    passes(world, 60_000)
    world.trace = () => Promise.reject(new IncompleteSearchError())
    expect(await world.once.run(task)).toMatchObject({ kind: 'done' })
    expect(world.sent).toHaveLength(2)
  })

  it('counts its time from the latest attempt', async () => {
    const world = await setUp()
    world.answers = [noAnswer, noAnswer]
    const task = world.task({ repeatAfterMs: 60_000 })
    await world.once.run(task)
    passes(world, 60_000)
    expect(await world.once.run(task)).toMatchObject({ kind: 'outcome-unknown' })
    passes(world, 59_999)
    await world.once.run(task)
    expect(world.sent).toHaveLength(2)
    passes(world, 1)
    expect(await world.once.run(task)).toMatchObject({ kind: 'done' })
    expect(world.sent).toHaveLength(3)
  })

  it('is one when a bug of ours ended the attempt, and the bug is not hidden', async () => {
    const world = await setUp()
    world.answers = [() => Promise.reject(new TypeError('A bug.'))]
    await expect(world.once.run(world.task())).rejects.toThrow('A bug.')
    expect(await world.recorded()).toMatchObject({ state: 'UNKNOWN' })
    expect(await world.once.run(world.task())).toMatchObject({ kind: 'outcome-unknown' })
  })

  it('is one when the record could not be ended, until the trace is found', async () => {
    const world = await setUp()
    const task = world.task()
    let failures = 1
    const failing: LinkTask = {
      ...task,
      settle: (...parts) => (failures-- > 0 ? Promise.reject(new Error('The disk is full.')) : task.settle(...parts)),
    }
    expect(await world.once.run(failing)).toMatchObject({ kind: 'outcome-unknown' })
    world.trace = async (ref) => `LINK-${ref}`
    expect(await world.once.run(failing)).toEqual({ kind: 'idempotency-conflict', inProgress: true })
    passes(world, LEASE_MS)
    expect(await world.once.run(failing)).toEqual({ kind: 'done', result: `LINK-${world.sent[0]}`, replayed: true })
    expect(world.sent).toHaveLength(1)
  })

  it('stays one when the trace was found and the record could not be ended', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    await world.once.run(world.task())
    world.trace = async (ref) => `LINK-${ref}`
    const failing = world.task({ settle: () => Promise.reject(new Error('The disk is full.')) })
    expect(await world.once.run(failing)).toMatchObject({ kind: 'outcome-unknown' })
    expect(await world.once.run(world.task())).toMatchObject({ kind: 'done', replayed: true })
    expect(world.sent).toHaveLength(1)
  })
})

describe('the lease of another process', () => {
  it('that is live means that the command is under way', async () => {
    const world = await setUp()
    const gate = Promise.withResolvers<string>()
    world.answers = [() => gate.promise]
    const first = world.once.run(world.task())
    while (world.sent.length === 0) await setImmediate()
    const neighbour = world.neighbour()
    const underWay = { kind: 'idempotency-conflict', inProgress: true }
    expect(await neighbour.run(world.task())).toEqual(underWay)
    expect(await neighbour.earlier(world.task())).toEqual(underWay)
    passes(world, LEASE_MS - 1)
    expect(await neighbour.run(world.task())).toEqual(underWay)
    gate.resolve('LINK-1')
    expect(await first).toMatchObject({ kind: 'done', result: 'LINK-1' })
    expect(await neighbour.run(world.task())).toMatchObject({ kind: 'done', result: 'LINK-1', replayed: true })
    expect(world.sent).toHaveLength(1)
  })

  it('that has ended means that nobody knows the outcome', async () => {
    const world = await setUp()
    const ended = NOW.getTime() + LEASE_MS
    const { fingerprint } = present(await world.once.run(world.task({ key: 'any' })).then(() => world.recorded('any')))
    await world.store.commands.begin(command('lost', { key: 'key-1', fingerprint, leaseUntil: ended }))
    passes(world, LEASE_MS - 1)
    expect(await world.once.run(world.task())).toEqual({ kind: 'idempotency-conflict', inProgress: true })
    passes(world, 1)
    expect(await world.once.run(world.task())).toMatchObject({ kind: 'outcome-unknown' })
    expect(await world.recorded()).toMatchObject({ state: 'UNKNOWN', ref: 'lost' })
    world.trace = async (ref) => (ref === 'lost' ? 'LINK-lost' : null)
    expect(await world.once.run(world.task())).toEqual({ kind: 'done', result: 'LINK-lost', replayed: true })
    expect(world.sent).toHaveLength(1)
  })

  it('lets only one of two processes take an unknown command up again', async () => {
    const world = await setUp()
    world.answers = [noAnswer]
    const task = world.task({ repeatAfterMs: 0 })
    await world.once.run(task)
    const outcomes = await Promise.all([world.once.run(task), world.neighbour().run(task)])
    expect(world.sent).toHaveLength(2)
    const kinds = outcomes.map((outcome) => (outcome.kind === 'done' ? 'done' : outcome))
    expect(kinds).toContain('done')
    expect(kinds.every((kind) => kind === 'done' || kind.kind === 'idempotency-conflict')).toBe(true)
  })
})
