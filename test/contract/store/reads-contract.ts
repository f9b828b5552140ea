import { expect, it } from 'vitest'
import type { ReadSubject } from '../../../src/store/store.ts'
import {
  after,
  delivery,
  events,
  linkOf,
  MINUTE,
  NOW,
  paymentOf,
  present,
  report,
  settledLink,
  pollAfter,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function readsContract(fixture: Fixture): void {
  async function subject(id = 'PAY1'): Promise<ReadSubject> {
    return present(await fixture.store.reads.subject(id))
  }

  /** A payment that is `failed` and was then reported as pending: only a read can tell which it is. */
  async function doubtful(): Promise<void> {
    await fixture.store.inbox.receive(delivery(report('pending')))
    await fixture.store.inbox.receive(delivery(report('failed'), { receivedAt: after(MINUTE) }))
    await fixture.store.inbox.receive(delivery(report('pending'), { bytes: 'other', receivedAt: after(2 * MINUTE) }))
  }

  it('plans a read when a webhook is to be confirmed, longest due first', async () => {
    const { store } = fixture
    expect(await store.reads.nextDue()).toBeNull()
    await store.inbox.receive(delivery(report('failed', { paymentId: 'P1' }), { receivedAt: after(MINUTE) }))
    await store.inbox.receive(delivery(report('failed', { paymentId: 'P2' })))
    await store.inbox.receive(delivery(report('received', { paymentId: 'P3' })))
    expect(await store.reads.nextDue()).toEqual(NOW)
    const due = async (by: Date, limit = 10) => (await store.reads.due(by, limit)).map(({ paymentId }) => paymentId)
    expect(await due(NOW)).toEqual(['P2'])
    expect(await due(after(MINUTE))).toEqual(['P2', 'P1'])
    expect(await due(after(MINUTE), 1)).toEqual(['P2'])
  })

  it('tells what is to be read, by the id of the payment or of the link', async () => {
    const { store } = fixture
    const made = await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    const expected = {
      paymentId: 'PAY1',
      link: { ...made, paymentId: 'PAY1' },
      payin: null,
      currency: 'AUD',
      failures: 0,
      deliveries: (await subject()).deliveries,
      dueAt: NOW,
    }
    expect(await subject('PAY1')).toEqual(expected)
    expect(await subject('LINK-a')).toEqual(expected)
    expect(await store.reads.due(NOW, 10)).toEqual([expected])
    expect(await store.reads.subject('NONE')).toBeNull()
  })

  it('is walked from page to page, past any number of reads that are due at the same instant', async () => {
    const { store } = fixture
    for (const id of ['P4', 'P2', 'P3', 'P1']) await store.inbox.receive(delivery(report('failed', { paymentId: id })))
    await store.inbox.receive(delivery(report('failed', { paymentId: 'LAST' }), { receivedAt: after(MINUTE) }))
    for (const ref of ['b', 'a', 'c']) await settledLink(store, ref)
    for (const ref of ['b', 'a', 'c']) await store.reads.schedule(`LINK-${ref}`, NOW)
    const walk = async (limit: number) => {
      const pages: string[][] = []
      let last: ReadSubject | null = null
      do {
        const page: ReadSubject[] = await store.reads.due(after(MINUTE), limit, last)
        pages.push(page.map(({ paymentId, link }) => paymentId ?? link?.id ?? ''))
        last = page.at(-1) ?? null
      } while (last !== null)
      return pages.flat()
    }
    const all = ['P1', 'P2', 'P3', 'P4', 'LINK-a', 'LINK-b', 'LINK-c', 'LAST']
    for (const limit of [1, 2, 3, 100]) expect(await walk(limit)).toEqual(all)
  })

  it('tells how many reads are due, and since when a payment has been unconfirmed', async () => {
    const { store } = fixture
    expect(await store.reads.backlog(NOW)).toEqual({ waiting: 0, unconfirmedSince: null })
    await settledLink(store, 'a')
    await store.reads.schedule('LINK-a', after(2 * MINUTE))
    await doubtful()
    expect(await store.reads.backlog(after(3 * MINUTE))).toEqual({ waiting: 2, unconfirmedSince: after(MINUTE) })
    // A read that failed is put off, and what it was to settle is in doubt all the same.
    await store.reads.postpone(await subject(), after(60 * MINUTE))
    expect(await store.reads.backlog(after(3 * MINUTE))).toEqual({ waiting: 1, unconfirmedSince: after(MINUTE) })
    await store.reads.record(await subject(), report('failed'), after(3 * MINUTE))
    expect(await store.reads.backlog(after(3 * MINUTE))).toEqual({ waiting: 1, unconfirmedSince: null })
  })

  it('sets an answer aside when a newer one was recorded since the read was sent', async () => {
    const { store } = fixture
    await doubtful()
    const asked = await subject()
    expect(await store.reads.record(await subject(), report('received'), after(3 * MINUTE))).toBe('changed')
    expect(await store.reads.record(asked, report('failed'), after(4 * MINUTE))).toBe('superseded')
    const again = await subject()
    expect(await store.reads.record(await subject(), report('received'), after(5 * MINUTE))).toBe('confirmed')
    expect(await store.reads.record(again, report('failed'), after(6 * MINUTE))).toBe('superseded')
    expect((await paymentOf(store)).statusRaw).toBe('received')
  })

  it('ends the doubt when a read confirms the state, without an event', async () => {
    await doubtful()
    expect((await paymentOf(fixture.store)).provisional).toBe(true)
    expect(await fixture.store.reads.record(await subject(), report('failed'), after(3 * MINUTE))).toBe('confirmed')
    expect(await paymentOf(fixture.store)).toMatchObject({ statusRaw: 'failed', provisional: false, version: 2 })
    expect(await fixture.store.reads.nextDue()).toSatisfy(pollAfter(after(MINUTE)))
  })

  it('records what a read shows as an event of our own', async () => {
    const { store } = fixture
    await doubtful()
    expect(await store.reads.record(await subject(), report('pending'), after(3 * MINUTE))).toBe('changed')
    expect((await events(store)).at(-1)).toMatchObject({
      source: 'READ',
      kind: 'PAYMENT_STATUS_CHANGED',
      fromStatus: 'failed',
      toStatus: 'pending',
      sequence: 3,
      recordedAt: after(3 * MINUTE).toISOString(),
    })
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'pending', provisional: false, version: 3 })
  })

  it('records details that a read shows, under the same status before and after', async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('partially_refunded', { details: { refunded: '1.00' } })))
    const said = report('partially_refunded', { details: { refunded: '2.00' } })
    expect(await store.reads.record(await subject(), said, after(MINUTE))).toBe('changed')
    expect((await events(store)).at(-1)).toMatchObject({
      kind: 'PAYMENT_DETAILS_CHANGED',
      fromStatus: 'partially_refunded',
      toStatus: 'partially_refunded',
      payment: { details: { refunded: '2.00' } },
    })
  })

  it('sets an answer aside when a webhook was stored since the read was sent', async () => {
    const { store } = fixture
    await doubtful()
    const asked = await subject()
    await store.inbox.receive(delivery(report('received'), { receivedAt: after(3 * MINUTE) }))
    expect(await store.reads.record(asked, report('failed'), after(3 * MINUTE))).toBe('superseded')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'received', version: 3 })
    expect(await store.reads.due(after(3 * MINUTE), 10)).toHaveLength(1)
    expect(await store.reads.record(await subject(), report('received'), after(4 * MINUTE))).toBe('confirmed')
    expect(await store.reads.nextDue()).toSatisfy(pollAfter(after(3 * MINUTE)))
  })

  it('sets an answer aside when a repeat asked for another read meanwhile', async () => {
    const { store } = fixture
    const refund = delivery(report('partially_refunded', { details: { refunded: '1.00' } }))
    await store.inbox.receive(refund)
    const asked = await subject()
    await store.inbox.receive(refund)
    expect(await store.reads.record(asked, report('partially_refunded'), after(MINUTE))).toBe('superseded')
    expect(await store.reads.nextDue()).toEqual(NOW)
  })

  it('sets an answer aside when another payment came through the same link meanwhile', async () => {
    const { store } = fixture
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    const asked = await subject()
    await store.inbox.receive(delivery(report('received', { paymentId: 'P2' }), { ref: 'a' }))
    expect(await store.reads.record(asked, report('pending'), after(MINUTE))).toBe('superseded')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'failed' })
    expect(await store.reads.record(await subject(), report('failed'), after(MINUTE))).toBe('confirmed')
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('P2')
  })

  it('keeps the doubt and tries again in 15 minutes when an answer leads from paid back to unpaid', async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('in_dispute')))
    await store.inbox.receive(delivery(report('received')))
    expect((await paymentOf(store)).provisional).toBe(true)
    expect(await store.reads.record(await subject(), report('pending'), after(MINUTE))).toBe('fruitless')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'in_dispute', provisional: true })
    expect(await store.reads.nextDue()).toEqual(after(16 * MINUTE))
    expect((await subject()).failures).toBe(1)
  })

  it("takes no other payment's answer", async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('failed')))
    expect(await store.reads.record(await subject(), report('received', { paymentId: 'P2' }), NOW)).toBe('fruitless')
    expect(await store.payments.byIds(['P2'])).toEqual([])
    expect(await store.reads.nextDue()).toEqual(after(15 * MINUTE))
  })

  it('reads an answer under the uuid of the link as one about its payment', async () => {
    const { store } = fixture
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    expect(await store.reads.record(await subject(), report('received', { paymentId: 'LINK-a' }), NOW)).toBe('changed')
    expect(await paymentOf(store)).toMatchObject({ id: 'PAY1', statusRaw: 'received' })
    const inPhase = await store.links.page({ limit: 5, before: null }, { phases: ['SUCCEEDED'] })
    expect(inPhase.map(({ row }) => row.ref)).toEqual(['a'])
  })

  it('records an answer about another payment through the same link, and asks again for the first', async () => {
    const { store } = fixture
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    const said = report('received', { paymentId: 'P2', linkId: 'LINK-a' })
    expect(await store.reads.record(await subject(), said, NOW)).toBe('changed')
    expect(await paymentOf(store, 'P2')).toMatchObject({ statusRaw: 'received', linkRef: 'a', streamId: 'link:a' })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('P2')
    expect(await store.reads.nextDue()).toEqual(after(15 * MINUTE))
  })

  it('postpones a read and counts its failures, until one succeeds', async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('failed')))
    await store.reads.postpone(await subject(), after(MINUTE))
    expect(await store.reads.nextDue()).toEqual(after(MINUTE))
    await store.reads.postpone(await subject(), null)
    expect(await store.reads.nextDue()).toBeNull()
    expect((await subject()).failures).toBe(2)
    await store.reads.record(await subject(), report('failed'), after(MINUTE))
    expect((await subject()).failures).toBe(0)
  })

  it('plans a poll for when every retry of the last event is over, and then at waits that double', async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('pending')))
    await store.inbox.receive(delivery(report('authorised'), { receivedAt: after(20 * MINUTE) }))
    expect(await store.reads.nextDue()).toSatisfy(pollAfter(after(20 * MINUTE)))
    const waits: number[] = []
    for (let poll = 0; poll < 4; poll++) {
      const at = present(await store.reads.nextDue())
      expect(await store.reads.record(await subject(), report('authorised'), at)).toBe('confirmed')
      waits.push((present(await store.reads.nextDue()).getTime() - at.getTime()) / MINUTE)
    }
    for (const [index, wait] of waits.entries()) expect(Math.abs(wait / (15 * 2 ** index) - 1)).toBeLessThan(0.101)
  })

  it('keeps a read that is due when an event comes, and forgets the poll that it makes needless', async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('failed')))
    await store.inbox.receive(delivery(report('received'), { receivedAt: after(MINUTE) }))
    expect(await store.reads.nextDue()).toEqual(NOW)
    await store.reads.record(await subject(), report('received'), after(2 * MINUTE))
    expect(await store.reads.nextDue()).toSatisfy(pollAfter(after(MINUTE)))
    await store.inbox.receive(delivery(report('dispute_lost'), { receivedAt: after(3 * MINUTE) }))
    expect(await store.reads.nextDue()).toBeNull()
  })

  it('polls an unpaid payment when its link is over, and tries a failed read again no later than planned', async () => {
    const { store } = fixture
    await settledLink(store, 'a', { expiresAt: after(30 * MINUTE).toISOString() })
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    expect(await store.reads.nextDue()).toEqual(after(31 * MINUTE))
    await store.reads.postpone(await subject(), after(5 * MINUTE))
    await store.inbox.receive(delivery(report('authorised'), { ref: 'a', receivedAt: after(MINUTE) }))
    expect(await store.reads.nextDue()).toEqual(after(5 * MINUTE))
    await store.reads.record(await subject(), report('received'), after(5 * MINUTE))
    expect(await store.reads.nextDue()).toSatisfy(pollAfter(after(5 * MINUTE)))
  })

  it('does not postpone what a webhook asked for since', async () => {
    const { store } = fixture
    await store.inbox.receive(delivery(report('received')))
    const asked = await subject()
    await store.inbox.receive(delivery(report('return_pending'), { receivedAt: after(MINUTE) }))
    await store.reads.postpone(asked, after(60 * MINUTE))
    expect(await store.reads.nextDue()).toEqual(after(MINUTE))
  })
}
