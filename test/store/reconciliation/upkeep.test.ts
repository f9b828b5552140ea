import { randomUUID } from 'node:crypto'
import { onTestFinished, expect, describe, it } from 'vitest'
import { createLogger } from '../../../src/observability/logger.ts'
import { startUpkeep } from '../../../src/reconciliation/upkeep.ts'
import { dueReads } from '../../support/due-reads.ts'
import { after, commandKey, delivery, KEY_SCOPE, MINUTE, NOW, present, report } from '../contract/builders.ts'
import { openStoreInVirtualTime } from './virtual-store.ts'

const DAY = 24 * 60 * MINUTE

async function setUp() {
  const { store, time, destroy } = await openStoreInVirtualTime()
  const lease = present(await store.leases.take('reader', 'test', { now: NOW, until: after(DAY) }))
  const fixture = { store, time, swept: 0, compared: [] as (readonly [Date, Date])[], leads: true, lost: 0 }
  const upkeep = startUpkeep({
    store,
    logger: createLogger({ level: 'silent' }),
    clock: time.clock,
    timer: time.timer,
    leader: { lease: () => (fixture.leads ? lease : null), lost: () => (fixture.lost += 1) },
    compare: async (from, to) => void fixture.compared.push([from, to]),
    onSwept: () => (fixture.swept += 1),
  })
  onTestFinished(async () => {
    await upkeep.close()
    await destroy()
  })
  /** Advances time while no process is the leader. */
  const passes = async (milliseconds: number) => {
    fixture.leads = false
    await time.pass(milliseconds)
    fixture.leads = true
  }
  return Object.assign(fixture, { upkeep, passes })
}

const sent = (key: string, sentAt: number) => ({
  id: randomUUID(),
  mutation: 'createPaymentLink',
  key,
  keyScope: KEY_SCOPE,
  requestedBy: null,
  fingerprint: 'f',
  ref: `ref-${key}`,
  refKind: 'link' as const,
  site: 'au',
  owner: 'somebody',
  leaseUntil: sentAt + 30_000,
  sentAt,
})

describe('the upkeep', () => {
  it('leaves a sign of life, and sweeps nothing while it does so in time', async () => {
    const fixture = await setUp()
    await fixture.upkeep.run()
    expect(await fixture.store.heartbeat.last()).toEqual(NOW)
    await fixture.passes(5 * MINUTE)
    await fixture.upkeep.run()
    expect(fixture.swept).toBe(0)
  })

  it('has what is under way read back after a silence of more than five minutes, and the silence compared', async () => {
    const fixture = await setUp()
    await fixture.store.inbox.receive(delivery(report('received', { paymentId: 'PAID' })))
    await fixture.store.inbox.receive(delivery(report('waiting', { paymentId: 'UNDER-WAY' })))
    await fixture.upkeep.run()
    await fixture.passes(5 * MINUTE + 1)
    await fixture.upkeep.run()
    const due = await dueReads(fixture.store.reads, fixture.time.clock(), 10)
    expect(due.map(({ paymentId }) => paymentId)).toEqual(['UNDER-WAY'])
    // Since the last webhook of which the last attempt may lie in the gap.
    expect(fixture.compared).toEqual([[after(-45 * MINUTE), after(5 * MINUTE + 1)]])
    expect(fixture.swept).toBe(1)
  })

  it('takes up a sweep in the middle of which another process has ended, and does not forget the gap', async () => {
    const fixture = await setUp()
    for (let n = 0; n < 600; n++) await fixture.store.inbox.receive(delivery(report('waiting', { paymentId: `P${n}` })))
    await fixture.upkeep.run()
    await fixture.passes(6 * MINUTE)
    // Another process found the gap, planned a part of the reads, and ended.
    await fixture.store.sweep.begin(after(-45 * MINUTE), fixture.time.clock(), null)
    await fixture.store.sweep.step(fixture.time.clock(), null)
    await fixture.upkeep.run()
    expect(fixture.swept).toBe(1)
    expect(await fixture.store.sweep.pending()).toBeNull()
    expect(await dueReads(fixture.store.reads, fixture.time.clock(), 1_000)).toHaveLength(600)
  })

  it('does so every fifteen seconds by itself, and not in a process that is not the leader', async () => {
    const fixture = await setUp()
    await fixture.time.pass(15_000)
    expect(await fixture.store.heartbeat.last()).toEqual(after(15_000))
    await fixture.time.pass(15_000)
    expect(await fixture.store.heartbeat.last()).toEqual(after(30_000))
    await fixture.passes(MINUTE)
    expect(await fixture.store.heartbeat.last()).toEqual(after(30_000))
  })

  it('ends the leases that nobody holds any more, and no others', async () => {
    const fixture = await setUp()
    await fixture.store.commands.begin(sent('old', NOW.getTime() - 30_001))
    await fixture.store.commands.begin(sent('new', NOW.getTime() - 29_000))
    await fixture.upkeep.run()
    expect((await fixture.store.commands.find(commandKey('createPaymentLink', 'old')))?.state).toBe('UNKNOWN')
    expect((await fixture.store.commands.find(commandKey('createPaymentLink', 'new')))?.state).toBe('SENT')
  })

  it('forgets commands that ended more than thirty days ago', async () => {
    const fixture = await setUp()
    for (const [key, age] of [
      ['old', 30 * DAY + MINUTE],
      ['young', 30 * DAY - MINUTE],
    ] as const) {
      const { command } = await fixture.store.commands.begin(sent(key, NOW.getTime() - age))
      await fixture.store.commands.reject(command.id, { kind: 'upstream-rejected' })
    }
    await fixture.upkeep.run()
    expect(await fixture.store.commands.find(commandKey('createPaymentLink', 'old'))).toBeNull()
    expect((await fixture.store.commands.find(commandKey('createPaymentLink', 'young')))?.state).toBe('REJECTED')
  })

  it('writes and sweeps nothing under a lease that another process has taken over', async () => {
    const fixture = await setUp()
    await fixture.store.inbox.receive(delivery(report('received', { paymentId: 'PAID' })))
    await fixture.upkeep.run()
    await fixture.store.leases.take('reader', 'another', { now: after(DAY), until: after(2 * DAY) })
    await fixture.passes(6 * MINUTE)
    await fixture.upkeep.run()
    expect(await fixture.store.heartbeat.last()).toEqual(NOW)
    expect(await fixture.store.sweep.pending()).toBeNull()
    expect(fixture).toMatchObject({ swept: 0, lost: 1 })
  })

  // promise(facts): After an outage of all nodes there is one sweep, whichever nodes start, with any clocks.
  it('takes a heartbeat from the future for a gap of unknown length, and not one of a clock that is a little ahead', async () => {
    const fixture = await setUp()
    await fixture.store.heartbeat.beat(after(5 * MINUTE), null)
    await fixture.upkeep.run()
    expect(await fixture.store.heartbeat.last()).toEqual(NOW)
    expect(fixture.swept).toBe(0)
    await fixture.store.heartbeat.beat(after(60 * MINUTE), null)
    await fixture.upkeep.run()
    expect(fixture.swept).toBe(1)
  })

  it('goes on after a failure', async () => {
    const fixture = await setUp()
    await fixture.store.close()
    await fixture.upkeep.run()
    await fixture.upkeep.run()
    expect(fixture.swept).toBe(0)
  })
})
