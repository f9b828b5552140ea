import { expect, it } from 'vitest'
import {
  after,
  command,
  commandKey,
  delivery,
  link,
  linkOf,
  MINUTE,
  NOW,
  payin,
  paymentOf,
  present,
  report,
  settledLink,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function housekeepingContract(fixture: Fixture): void {
  async function walk(limit = 2): Promise<string[]> {
    const seen: string[] = []
    let cursor: string | null = null
    for (;;) {
      const page = await fixture.store.reads.unfinal(cursor, limit)
      seen.push(...page.map(({ id }) => id))
      cursor = page.at(-1)?.cursor ?? null
      if (cursor === null) return seen
    }
  }

  it('remembers the last heartbeat, across a restart too', async () => {
    const { store } = fixture
    expect(await store.heartbeat.last()).toBeNull()
    await store.heartbeat.beat(NOW)
    await store.heartbeat.beat(after(MINUTE))
    expect(await store.heartbeat.last()).toEqual(after(MINUTE))
    const again = await fixture.opened.reopen()
    expect(await again.heartbeat.last()).toEqual(after(MINUTE))
  })

  it('forgets old commands that have ended, and keeps what they made and their correlators', async () => {
    const { store } = fixture
    const { commands } = store
    const begin = async (ref: string, minutes: number) =>
      (await commands.begin(command(ref, { sentAt: after(minutes * MINUTE).getTime() }))).command.id
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
    const { commands } = fixture.store
    await Promise.all(
      Array.from({ length: 1001 }, async (_, n) => {
        const { command: begun } = await commands.begin(command(`c${n}`))
        await commands.reject(begun.id, null)
      }),
    )
    expect(await commands.purge(after(1))).toBe(1001)
  })

  it('plans a read without counting a failure, and never later than one that is planned', async () => {
    const { store } = fixture
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('received')))
    await store.reads.schedule('PAY1', after(50 * MINUTE))
    await store.reads.schedule('LINK-a', after(55 * MINUTE))
    expect((await store.reads.due(after(55 * MINUTE), 5)).map(({ paymentId, link: l }) => paymentId ?? l?.id)).toEqual([
      'PAY1',
      'LINK-a',
    ])
    await store.reads.schedule('PAY1', after(60 * MINUTE))
    expect(await store.reads.nextDue()).toEqual(after(50 * MINUTE))
    await store.reads.postpone(present(await store.reads.subject('PAY1')), after(90 * MINUTE))
    await store.reads.schedule('PAY1', after(20 * MINUTE))
    expect(await store.reads.nextDue()).toEqual(after(20 * MINUTE))
    expect(await store.reads.subject('PAY1')).toMatchObject({ failures: 1 })
    await store.reads.schedule('NONE', NOW)
  })

  it('plans the read of the payment that speaks for a link when it is given the link', async () => {
    const { store } = fixture
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    await store.reads.schedule('LINK-a', after(MINUTE))
    expect(await store.reads.due(after(MINUTE), 5)).toMatchObject([{ paymentId: 'PAY1' }])
  })

  it('lists what is not final, the one that was confirmed longest ago first', async () => {
    const { store } = fixture
    const receive = (paymentId: string, status: string, minutes: number, details = {}) =>
      store.inbox.receive(delivery(report(status, { paymentId, details }), { receivedAt: after(minutes * MINUTE) }))
    await receive('P3', 'received', -1)
    await receive('P2', 'pending', -3, { amount: null, currency: null })
    await receive('FINAL', 'return_received', -9)
    await settledLink(store, 'a', { createdAt: after(-2 * MINUTE).toISOString() })
    await settledLink(store, 'over', { createdAt: after(-8 * MINUTE).toISOString() })
    await settledLink(store, 'used', { createdAt: after(-7 * MINUTE).toISOString() })
    await store.inbox.receive(
      delivery(report('failed', { paymentId: 'P1' }), { ref: 'used', receivedAt: after(-4 * MINUTE) }),
    )
    const ended = report('expired', { paymentId: 'LINK-over' })
    await store.reads.record(present(await store.reads.subject('LINK-over')), ended, NOW)
    const { command: begun } = await store.commands.begin(command('p', { refKind: 'payin' }))
    const direct = report('pending', { paymentId: 'P4' })
    await store.commands.settleWithPayin(begun.id, payin('p', { paymentId: 'P4' }), direct, NOW)

    expect(await walk(2)).toEqual(['P1', 'P2', 'LINK-a', 'P3', 'P4'])
    expect(await walk(100)).toEqual(['P1', 'P2', 'LINK-a', 'P3', 'P4'])
    // A webhook confirms nothing; a read that tells something does, and so does one that finds a link untouched.
    await receive('P1', 'authorised', 1)
    const read = async (id: string, said: ReturnType<typeof report>, minutes: number) =>
      store.reads.record(present(await store.reads.subject(id)), said, after(minutes * MINUTE))
    fixture.now = after(9 * MINUTE)
    expect(await read('P2', report('pending', { paymentId: 'P2' }), 2)).toBe('changed')
    expect(await read('LINK-a', report('pending', { paymentId: 'LINK-a' }), 3)).toBe('confirmed')
    expect(await read('P3', report('pending', { paymentId: 'P3' }), 4)).toBe('fruitless')
    expect(await walk()).toEqual(['P1', 'P3', 'P4', 'P2', 'LINK-a'])
  })

  it('meets each once on a walk during which reads confirm what it has met', async () => {
    const { store } = fixture
    for (const n of [1, 2, 3, 4])
      await store.inbox.receive(delivery(report('pending', { paymentId: `P${n}` }), { receivedAt: after(n * MINUTE) }))
    fixture.now = after(10 * MINUTE)
    const first = await store.reads.unfinal(null, 2)
    fixture.now = after(11 * MINUTE)
    for (const { id } of first)
      await store.reads.record(
        present(await store.reads.subject(id)),
        report('pending', { paymentId: id }),
        fixture.now,
      )
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P5' }), { receivedAt: fixture.now }))
    const second = await store.reads.unfinal(present(first.at(-1)).cursor, 2)
    const third = await store.reads.unfinal(present(second.at(-1)).cursor, 2)
    expect([first, second, third].map((page) => page.map(({ id }) => id))).toEqual([['P1', 'P2'], ['P3', 'P4'], []])
    expect(await walk()).toEqual(['P3', 'P4', 'P1', 'P2', 'P5'])
    await expect(store.reads.unfinal('nonsense', 2)).rejects.toThrow(RangeError)
    expect((await paymentOf(store, 'P1')).version).toBe(1)
  })

  it('meets each once on a walk, whatever order a language gives to the ids', async () => {
    const ids = ['a', 'B', 'c', 'D', 'é', 'Z', 'z', '_', '1']
    for (const paymentId of ids) await fixture.store.inbox.receive(delivery(report('pending', { paymentId })))
    for (const ref of ids) await settledLink(fixture.store, ref, { id: `${ref}-link` })
    expect((await walk()).toSorted()).toEqual([...ids, ...ids.map((ref) => `${ref}-link`)].toSorted())
  })
}
