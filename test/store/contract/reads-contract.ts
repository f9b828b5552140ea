import { expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { readAfterExpiry } from '../../../src/domain/reads/read-schedule.ts'
import type { ReadOutcome, ReadSubject } from '../../../src/store/port.ts'
import { dueReads, nextDue, pollAt } from '../../support/due-reads.ts'
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

export function readsContract({ store }: Fixture): void {
  async function subject(id = 'PAY1'): Promise<ReadSubject> {
    return present(await store.reads.subject(id))
  }

  async function answered(said: PaymentReport, at: Date): Promise<ReadOutcome> {
    return store.reads.record(await subject(), said, at, null)
  }

  /** Records a payment that is `failed` and was then reported as pending: only a read can decide between them. */
  async function doubtful(): Promise<void> {
    await store.inbox.receive(delivery(report('pending')))
    await store.inbox.receive(delivery(report('failed'), { receivedAt: after(MINUTE) }))
    await store.inbox.receive(delivery(report('pending'), { bytes: 'other', receivedAt: after(2 * MINUTE) }))
  }

  it('plans a read when a webhook is to be confirmed, longest due first', async () => {
    expect(await nextDue(store)).toBeNull()
    await store.inbox.receive(delivery(report('failed', { paymentId: 'P1' }), { receivedAt: after(MINUTE) }))
    await store.inbox.receive(delivery(report('failed', { paymentId: 'P2' })))
    await store.inbox.receive(delivery(report('received', { paymentId: 'P3' })))
    expect(await nextDue(store)).toEqual(NOW)
    const due = async (by: Date, limit = 10) =>
      (await dueReads(store.reads, by, limit)).map(({ paymentId }) => paymentId)
    expect(await due(NOW)).toEqual(['P2'])
    expect(await due(after(MINUTE))).toEqual(['P2', 'P1'])
    expect(await due(after(MINUTE), 1)).toEqual(['P2'])
  })

  it('tells what is to be read, by the id of the payment or of the link', async () => {
    const made = await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    const expected = {
      paymentId: 'PAY1',
      payment: await paymentOf(store),
      link: { ...made, paymentId: 'PAY1' },
      payin: null,
      namedLinkId: null,
      readSite: 'au',
      failures: 0,
      deliveries: (await subject()).deliveries,
      dueAt: NOW,
    }
    expect(await subject('PAY1')).toEqual(expected)
    expect(await subject('LINK-a')).toEqual(expected)
    expect(await dueReads(store.reads, NOW, 10)).toEqual([expected])
    expect(await store.reads.subject('NONE')).toBeNull()
  })

  it('is looked up by site, the most urgent class first: the longest due doubt, and the latest due of the others', async () => {
    await settledLink(store, 'a')
    await settledLink(store, 'b', { site: 'jp' })
    await settledLink(store, 'c', { site: 'jp', expiresAt: after(-5 * MINUTE).toISOString() })
    await settledLink(store, 'd', { site: 'jp', expiresAt: after(-9 * MINUTE).toISOString() })
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    for (const [id, at] of [
      ['P2', MINUTE],
      ['P1', 2 * MINUTE],
    ] as const)
      await store.inbox.receive(delivery(report('failed', { paymentId: id }), { receivedAt: after(at) }))
    for (const [id, at] of [
      ['P3', -2 * MINUTE],
      ['P4', -MINUTE],
    ] as const) {
      await store.inbox.receive(delivery(report('pending', { paymentId: id })))
      await pollAt(store.reads, id, after(at))
    }
    expect((await store.reads.sites()).toSorted()).toEqual(['*AUD', 'au', 'jp'])
    const due = async (readSites: string[], limit = 9) =>
      (await store.reads.due({ readSites, by: after(2 * MINUTE), limit })).map(({ id }) => id)
    expect(await due(['au'])).toEqual(['PAY1'])
    expect(await due(['*AUD'])).toEqual(['P2', 'P1', 'P4', 'P3'])
    expect(await due(['*AUD'], 1)).toEqual(['P2'])
    expect(await due(['*AUD', 'au', 'jp'])).toEqual(['PAY1', 'P2', 'P1', 'P4', 'P3', 'LINK-c', 'LINK-d'])
    expect(await store.reads.due({ readSites: ['jp'], by: after(1_000 * MINUTE), limit: 1 })).toEqual([
      {
        kind: 'link',
        id: 'LINK-b',
        readClass: 'expiry',
        dueAt: new Date(readAfterExpiry(after(60 * MINUTE).getTime())),
      },
    ])
  })

  it('makes a poll that was due a doubt from the moment of the webhook, and keeps a doubt that is older', async () => {
    await store.inbox.receive(delivery(report('received')))
    await pollAt(store.reads, 'PAY1', after(-60 * MINUTE))
    await store.inbox.receive(delivery(report('in_dispute'), { receivedAt: after(MINUTE) }))
    expect(await dueReads(store.reads, after(MINUTE), 9, ['poll', 'expiry'])).toEqual([])
    expect(await dueReads(store.reads, after(MINUTE), 9, ['doubt'])).toMatchObject([{ dueAt: after(MINUTE) }])
    await pollAt(store.reads, 'PAY1', after(2 * MINUTE))
    await store.inbox.receive(delivery(report('return_pending'), { receivedAt: after(3 * MINUTE) }))
    expect(await dueReads(store.reads, after(3 * MINUTE), 9, ['doubt'])).toMatchObject([{ dueAt: after(MINUTE) }])
    await answered(report('return_pending'), after(4 * MINUTE))
    expect(await nextDue(store)).toBeNull()
  })

  it('holds a payment in doubt only by its own state, whatever the payments API writes into an object', async () => {
    const instructions = { provisional: true, nested: { provisional: true } }
    await store.inbox.receive(delivery(report('pending', { details: { instructions } })))
    expect((await paymentOf(store)).provisional).toBe(false)
    expect((await store.reads.backlog(after(MINUTE))).doubtSince).toBeNull()
    await doubtful()
    expect((await store.reads.backlog(after(9 * MINUTE))).doubtSince).toEqual(after(MINUTE))
  })

  it('tells how many reads are due, and since when a payment has been unconfirmed', async () => {
    expect(await store.reads.backlog(NOW)).toEqual({ waiting: 0, due: [], unconfirmedSince: null, doubtSince: null })
    await settledLink(store, 'a')
    await pollAt(store.reads, 'LINK-a', after(2 * MINUTE))
    await doubtful()
    expect(await store.reads.backlog(after(3 * MINUTE))).toMatchObject({ waiting: 2, unconfirmedSince: after(MINUTE) })
    // A failed read is postponed; the payment that it should confirm stays doubtful.
    await store.reads.postpone(await subject(), after(60 * MINUTE), null)
    expect(await store.reads.backlog(after(3 * MINUTE))).toMatchObject({ waiting: 1, unconfirmedSince: after(MINUTE) })
    await answered(report('failed'), after(3 * MINUTE))
    expect(await store.reads.backlog(after(3 * MINUTE))).toMatchObject({ waiting: 1, unconfirmedSince: null })
  })

  it('sets an answer aside when a newer one was recorded since the read was sent', async () => {
    await doubtful()
    const asked = await subject()
    expect(await answered(report('received'), after(3 * MINUTE))).toBe('changed')
    expect(await store.reads.record(asked, report('failed'), after(4 * MINUTE), null)).toBe('superseded')
    const again = await subject()
    expect(await answered(report('received'), after(5 * MINUTE))).toBe('confirmed')
    expect(await store.reads.record(again, report('failed'), after(6 * MINUTE), null)).toBe('superseded')
    expect((await paymentOf(store)).statusRaw).toBe('received')
  })

  it('ends the doubt when a read confirms the state, without an event', async () => {
    await doubtful()
    expect((await paymentOf(store)).provisional).toBe(true)
    expect(await answered(report('failed'), after(3 * MINUTE))).toBe('confirmed')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'failed', provisional: false, version: 2 })
    expect(await nextDue(store)).toBeNull()
  })

  it('records what a read shows as an event of our own', async () => {
    await doubtful()
    expect(await answered(report('pending'), after(3 * MINUTE))).toBe('changed')
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

  it('sets an answer aside when a webhook was stored since the read was sent', async () => {
    await doubtful()
    const asked = await subject()
    await store.inbox.receive(delivery(report('received'), { receivedAt: after(3 * MINUTE) }))
    expect(await store.reads.record(asked, report('failed'), after(3 * MINUTE), null)).toBe('superseded')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'received', version: 3 })
    expect(await dueReads(store.reads, after(3 * MINUTE), 10)).toHaveLength(1)
    expect(await answered(report('received'), after(4 * MINUTE))).toBe('confirmed')
    expect(await nextDue(store)).toBeNull()
  })

  it('sets an answer aside when a repeat asked for another read meanwhile', async () => {
    const refund = delivery(report('partially_refunded', { details: { refunded: '1.00' } }))
    await store.inbox.receive(refund)
    const asked = await subject()
    await store.inbox.receive(refund)
    expect(await store.reads.record(asked, report('partially_refunded'), after(MINUTE), null)).toBe('superseded')
    expect(await nextDue(store)).toEqual(NOW)
  })

  it('sets an answer aside when another payment came through the same link meanwhile', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    const asked = await subject()
    await store.inbox.receive(delivery(report('received', { paymentId: 'P2' }), { ref: 'a' }))
    expect(await store.reads.record(asked, report('pending'), after(MINUTE), null)).toBe('superseded')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'failed' })
    expect(await answered(report('failed'), after(MINUTE))).toBe('confirmed')
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('P2')
  })

  it('keeps the doubt and tries again in 15 minutes when an answer leads from paid back to unpaid', async () => {
    await store.inbox.receive(delivery(report('in_dispute')))
    await store.inbox.receive(delivery(report('received')))
    expect((await paymentOf(store)).provisional).toBe(true)
    expect(await answered(report('pending'), after(MINUTE))).toBe('fruitless')
    expect(await paymentOf(store)).toMatchObject({ statusRaw: 'in_dispute', provisional: true })
    expect(await nextDue(store)).toEqual(after(16 * MINUTE))
    expect((await subject()).failures).toBe(1)
  })

  it("takes no other payment's answer", async () => {
    await store.inbox.receive(delivery(report('failed')))
    expect(await answered(report('received', { paymentId: 'P2' }), NOW)).toBe('fruitless')
    expect(await store.payments.byIds(['P2'])).toEqual([])
    expect(await nextDue(store)).toEqual(after(15 * MINUTE))
  })

  it('reads an answer under the uuid of the link as one about its payment', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    expect(await answered(report('received', { paymentId: 'LINK-a' }), NOW)).toBe('changed')
    expect(await paymentOf(store)).toMatchObject({ id: 'PAY1', statusRaw: 'received' })
    const inPhase = (await store.links.page({ limit: 5, before: null }, { phases: ['SUCCEEDED'] })).rows
    expect(inPhase.map(({ row }) => row.ref)).toEqual(['a'])
  })

  it('records an answer about another payment through the same link, and asks again for the first', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('failed'), { ref: 'a' }))
    const said = report('received', { paymentId: 'P2', linkId: 'LINK-a' })
    expect(await answered(said, NOW)).toBe('changed')
    expect(await paymentOf(store, 'P2')).toMatchObject({ statusRaw: 'received', linkRef: 'a', streamId: 'link:a' })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('P2')
    expect(await nextDue(store)).toEqual(after(15 * MINUTE))
  })

  it('postpones a read and counts its failures, until one succeeds', async () => {
    await store.inbox.receive(delivery(report('failed')))
    await store.reads.postpone(await subject(), after(MINUTE), null)
    expect(await nextDue(store)).toEqual(after(MINUTE))
    await store.reads.postpone(await subject(), null, null)
    expect(await nextDue(store)).toBeNull()
    expect((await subject()).failures).toBe(2)
    await answered(report('failed'), after(MINUTE))
    expect((await subject()).failures).toBe(0)
  })

  it('keeps a read that is due when an event comes, and forgets the poll that it makes needless', async () => {
    await store.inbox.receive(delivery(report('failed')))
    await store.inbox.receive(delivery(report('received'), { receivedAt: after(MINUTE) }))
    expect(await nextDue(store)).toEqual(NOW)
    await answered(report('received'), after(2 * MINUTE))
    expect(await nextDue(store)).toBeNull()
    await store.inbox.receive(delivery(report('waiting', { paymentId: 'P2' })))
    expect(await nextDue(store)).toSatisfy(pollAfter(NOW))
    await store.inbox.receive(delivery(report('received', { paymentId: 'P2' })))
    expect(await nextDue(store)).toBeNull()
  })

  it('polls an unpaid payment when its link is over, and tries a failed read again no later than planned', async () => {
    await settledLink(store, 'a', { expiresAt: after(30 * MINUTE).toISOString() })
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    expect(await nextDue(store)).toEqual(new Date(readAfterExpiry(after(30 * MINUTE).getTime())))
    await store.reads.postpone(await subject(), after(5 * MINUTE), null)
    await store.inbox.receive(delivery(report('authorised'), { ref: 'a', receivedAt: after(MINUTE) }))
    expect(await nextDue(store)).toEqual(after(5 * MINUTE))
    await answered(report('received'), after(5 * MINUTE))
    expect(await nextDue(store)).toBeNull()
  })

  it('does not postpone what a webhook asked for since', async () => {
    await store.inbox.receive(delivery(report('received')))
    const asked = await subject()
    await store.inbox.receive(delivery(report('return_pending'), { receivedAt: after(MINUTE) }))
    await store.reads.postpone(asked, after(60 * MINUTE), null)
    expect(await nextDue(store)).toEqual(after(MINUTE))
  })
}
