import { expect, it } from 'vitest'
import type { Lease } from '../../../src/store/port.ts'
import { LeaseLostError } from '../../../src/store/store-errors.ts'
import {
  after,
  agreementReport,
  callback,
  delivery,
  MINUTE,
  NOW,
  present,
  report,
  settledAgreement,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

const LEASE_MS = 30_000

export function leasesContract(fixture: Fixture): void {
  const { store } = fixture
  const take = (owner: string, milliseconds: number) =>
    store.leases.take('reader', owner, { now: after(milliseconds), until: after(milliseconds + LEASE_MS) })
  const held = async (owner: string, milliseconds: number) => present(await take(owner, milliseconds))

  it('has one holder, who may renew it', async () => {
    expect(await take('a', 0)).toEqual({ name: 'reader', owner: 'a', fence: 1 })
    expect(await take('b', LEASE_MS - 1)).toBeNull()
    expect(await take('a', LEASE_MS - 1)).toEqual({ name: 'reader', owner: 'a', fence: 1 })
    expect(await take('b', LEASE_MS)).toBeNull()
  })

  it('says until when somebody has it', async () => {
    const { leases } = store
    expect(await leases.heldUntil('reader', NOW)).toBeNull()
    const lease = await held('a', 0)
    expect(await leases.heldUntil('reader', after(LEASE_MS - 1))).toEqual(after(LEASE_MS))
    expect(await leases.heldUntil('reader', after(LEASE_MS))).toBeNull()
    await leases.release(lease)
    expect(await leases.heldUntil('reader', NOW)).toBeNull()
  })

  it('is taken over once it has expired, and its former holder finds that out', async () => {
    await take('a', 0)
    expect(await take('b', LEASE_MS)).not.toBeNull()
    expect(await take('a', LEASE_MS + 1)).toBeNull()
  })

  it('is taken over when a clock that was set back since has put its end too far ahead', async () => {
    await take('a', 60 * MINUTE)
    expect(await take('b', 0)).toMatchObject({ owner: 'b', fence: 2 })
    expect(await take('a', 1)).toBeNull()
  })

  it('is free once it was given back, by its holder alone', async () => {
    const { leases } = store
    const lease = await held('a', 0)
    await leases.release({ ...lease, owner: 'b' })
    await leases.release({ ...lease, fence: 0 })
    expect(await take('b', 1)).toBeNull()
    await leases.release(lease)
    expect(await take('b', 1)).not.toBeNull()
  })

  it('goes to one of those who try at once', async () => {
    const owners = Array.from({ length: 20 }, (_, n) => `owner-${n}`)
    const got = await Promise.all(owners.map((owner) => take(owner, 0)))
    expect(got.filter((lease) => lease !== null)).toHaveLength(1)
  })

  it('has a number that rises each time it changes hands, also when it was given back, and after a restart', async () => {
    const first = await held('a', 0)
    await store.leases.release(first)
    const second = await held('b', 1)
    const third = await held('a', 1 + LEASE_MS)
    const again = await fixture.opened.reopen()
    const fourth = present(
      await again.leases.take('reader', 'c', { now: after(1 + 2 * LEASE_MS), until: after(1 + 3 * LEASE_MS) }),
    )
    expect([first, second, third, fourth].map(({ fence }) => fence)).toEqual([1, 2, 3, 4])
  })

  /** What a reader does under its lease. */
  const WORK: Readonly<Record<string, (lease: Lease | null) => Promise<unknown>>> = {
    'a heartbeat': (lease) => store.heartbeat.beat(after(MINUTE), lease),
    'the beginning of a sweep': (lease) => store.sweep.begin(NOW, after(MINUTE), lease),
    'a step of a sweep': (lease) => store.sweep.step(after(MINUTE), lease),
    'an answer': async (lease) => store.reads.record(await payment(), report('received'), after(MINUTE), lease),
    'a failed read': async (lease) => store.reads.postpone(await payment(), after(MINUTE), lease),
    'an answer about an agreement': async (lease) =>
      store.agreementReads.record(await agreement(), agreementReport('active'), after(MINUTE), lease),
    'a failed read of an agreement': async (lease) =>
      store.agreementReads.postpone(await agreement(), after(MINUTE), lease),
  }
  const payment = async () => present(await store.reads.subject('PAY1'))
  const agreement = async () => present(await store.agreementReads.subject('AGR1'))

  for (const [what, work] of Object.entries(WORK)) {
    it(`lets ${what} pass under the current lease, and refuses it without a trace under a former one`, async () => {
      await store.inbox.receive(delivery(report('pending')))
      await settledAgreement(store, 'agreement')
      await store.inbox.receiveAgreement(callback(agreementReport('pending')))
      await store.heartbeat.beat(NOW, null)
      await store.sweep.begin(after(-MINUTE), NOW, null)
      const former = await held('a', 0)
      // An expired lease is valid until another process takes it.
      const current = await held('b', LEASE_MS)
      const before = await look()
      await expect(work(former)).rejects.toThrow(LeaseLostError)
      // A version without fencing numbers takes a lease over without raising the number.
      await expect(work({ ...current, owner: 'c' })).rejects.toThrow(LeaseLostError)
      expect(await look()).toEqual(before)
      await work(current)
      expect(await look()).not.toEqual(before)
    })
  }

  /** Returns everything that the work changes. */
  async function look() {
    return {
      heartbeat: await store.heartbeat.last(),
      sweep: await store.sweep.pending(),
      head: await store.log.head(),
      payment: await payment(),
      agreement: await agreement(),
    }
  }
}
