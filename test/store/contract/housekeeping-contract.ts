import { expect, it } from 'vitest'
import { dueReads, nextDue, pollAt } from '../../support/due-reads.ts'
import {
  after,
  command,
  commandKey,
  delivery,
  link,
  linkOf,
  MINUTE,
  NOW,
  present,
  report,
  settledLink,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function housekeepingContract(fixture: Fixture): void {
  const { store } = fixture
  it('remembers the last heartbeat, across a restart too', async () => {
    expect(await store.heartbeat.last()).toBeNull()
    await store.heartbeat.beat(NOW, null)
    await store.heartbeat.beat(after(MINUTE), null)
    expect(await store.heartbeat.last()).toEqual(after(MINUTE))
    const again = await fixture.opened.reopen()
    expect(await again.heartbeat.last()).toEqual(after(MINUTE))
  })

  it('forgets old commands that have ended, and keeps what they made and their correlation ids', async () => {
    const { commands } = store
    const begin = async (ref: string, minutes: number) =>
      (await commands.begin(command(ref, { leaseUntil: after(minutes * MINUTE).getTime() }))).command.id
    await commands.settleWithLink(await begin('settled', 0), link('settled'), NOW)
    await commands.reject(await begin('rejected', 1), { httpStatus: 422 })
    await begin('sent', 0)
    await commands.markUnknown(await begin('unknown', 0))
    await commands.settle(await begin('young', 2), null)

    expect(await commands.purge(after(2 * MINUTE))).toBe(2)
    expect(await commands.purge(after(2 * MINUTE))).toBe(0)
    const kept = ['settled', 'rejected', 'sent', 'unknown', 'young'].map(async (ref) => {
      const found = await commands.find(commandKey('createPaymentLink', `key-${ref}`))
      return found?.state ?? null
    })
    expect(await Promise.all(kept)).toEqual([null, null, 'SENT', 'UNKNOWN', 'SETTLED'])
    expect(await store.inbox.knowsRef('settled', ['link'])).toBe(true)
    expect((await linkOf(store, 'LINK-settled')).ref).toBe('settled')
  })

  it('forgets more commands than one transaction takes', async () => {
    const { commands } = store
    await Promise.all(
      Array.from({ length: 1001 }, async (_, n) => {
        const { command: begun } = await commands.begin(command(`c${n}`))
        await commands.reject(begun.id, null)
      }),
    )
    expect(await commands.purge(after(MINUTE))).toBe(1001)
  })

  it('plans a read without counting a failure, and never later than one that is planned', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('received')))
    await pollAt(store.reads, 'PAY1', after(50 * MINUTE))
    await pollAt(store.reads, 'LINK-a', after(55 * MINUTE))
    expect(
      (await dueReads(store.reads, after(55 * MINUTE), 5)).map(({ paymentId, link: l }) => paymentId ?? l?.id),
    ).toEqual(['PAY1', 'LINK-a'])
    await pollAt(store.reads, 'PAY1', after(60 * MINUTE))
    expect(await nextDue(store)).toEqual(after(50 * MINUTE))
    await store.reads.postpone(present(await store.reads.subject('PAY1')), after(90 * MINUTE), null)
    await pollAt(store.reads, 'PAY1', after(20 * MINUTE))
    expect(await nextDue(store)).toEqual(after(20 * MINUTE))
    expect(await store.reads.subject('PAY1')).toMatchObject({ failures: 1 })
    await pollAt(store.reads, 'NONE', NOW)
  })

  it('plans the read of the payment that speaks for a link when it is given the link', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    await pollAt(store.reads, 'LINK-a', after(MINUTE))
    expect(await dueReads(store.reads, after(MINUTE), 5)).toMatchObject([{ paymentId: 'PAY1' }])
  })
}
