import { expect, it } from 'vitest'
import { readAfterExpiry } from '../../../src/domain/reads/read-schedule.ts'
import type { ReadSubject } from '../../../src/store/port.ts'
import { dueReads, nextDue } from '../../support/due-reads.ts'
import { after, delivery, events, linkOf, MINUTE, NOW, paymentOf, present, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** The links of these tests expire an hour after `NOW`; in milliseconds. */
const END = 60 * MINUTE
/** When an expired link is read: a minute after its expiry, at the next half minute. */
const AFTER_END = new Date(readAfterExpiry(after(END).getTime()))

export function readsOfLinksContract({ store }: Fixture): void {
  async function subject(): Promise<ReadSubject> {
    return present(await store.reads.subject('LINK-a'))
  }

  const untouched = report('pending', { paymentId: 'LINK-a' })
  const ended = report('expired', { paymentId: 'LINK-a' })

  it('plans the read of an unused link for a minute after its end', async () => {
    const made = await settledLink(store, 'a')
    expect(await nextDue(store)).toEqual(AFTER_END)
    expect(await dueReads(store.reads, after(END), 10)).toEqual([])
    expect(await dueReads(store.reads, AFTER_END, 10)).toEqual([
      {
        paymentId: null,
        payment: null,
        link: made,
        payin: null,
        namedLinkId: null,
        readSite: null,
        deliveries: 0,
        failures: 0,
        dueAt: AFTER_END,
      },
    ])
  })

  it('keeps the plan when a read before the end finds the link untouched', async () => {
    await settledLink(store, 'a')
    expect(await store.reads.record(await subject(), untouched, NOW, null)).toBe('confirmed')
    expect(await nextDue(store)).toEqual(AFTER_END)
    expect(await store.payments.byIds(['LINK-a'])).toEqual([])
    expect(await store.log.head()).toBe(1)
  })

  it('asks again in 15 minutes when the payments API has not noticed the end yet', async () => {
    await settledLink(store, 'a')
    await store.reads.record(await subject(), untouched, AFTER_END, null)
    expect(await nextDue(store)).toEqual(after(15 * MINUTE, AFTER_END))
  })

  it('records the end of an unused link once', async () => {
    await settledLink(store, 'a')
    expect(await store.reads.record(await subject(), ended, AFTER_END, null)).toBe('changed')
    expect(await store.reads.record(await subject(), ended, after(END + 2 * MINUTE), null)).toBe('confirmed')
    expect((await linkOf(store, 'LINK-a')).expired).toBe(true)
    expect(await nextDue(store)).toBeNull()
    expect((await events(store)).slice(1)).toEqual([
      {
        id: 'link:a.2',
        streamId: 'link:a',
        sequence: 2,
        position: 2,
        kind: 'LINK_EXPIRED',
        source: 'READ',
        fromStatus: null,
        toStatus: null,
        linkRef: 'a',
        payment: null,
        agreement: null,
        payout: null,
        gatewayPayment: null,
        recordedAt: AFTER_END.toISOString(),
      },
    ])
  })

  it('learns of a payment through a link whose webhooks were lost', async () => {
    await settledLink(store, 'a')
    const said = report('received', {
      linkId: 'LINK-a',
      details: { amount: null },
      payer: { name: 'Ada', email: null },
    })
    expect(await store.reads.record(await subject(), said, NOW, null)).toBe('changed')
    expect(await paymentOf(store)).toMatchObject({ linkRef: 'a', version: 2, details: { amount: '25.50' } })
    expect((await events(store)).at(-1)).toMatchObject({ source: 'READ', fromStatus: null, toStatus: 'received' })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('PAY1')
    expect((await store.payments.payers(['PAY1'])).get('PAY1')?.name).toBe('Ada')
    expect(await nextDue(store)).toBeNull()
  })

  it('gives a payment that was known without a link the link that a read shows', async () => {
    await store.inbox.receive(delivery(report('received')))
    await settledLink(store, 'a', { requestedAmount: { value: '10', currency: 'AUD' } })
    expect(await store.reads.record(await subject(), report('received'), NOW, null)).toBe('confirmed')
    expect(await paymentOf(store)).toMatchObject({ linkRef: 'a', streamId: 'payment:PAY1', version: 1 })
    expect((await linkOf(store, 'LINK-a')).paymentId).toBe('PAY1')
    expect(await nextDue(store)).toBeNull()
  })

  it('sets an answer aside when a webhook came through the link meanwhile', async () => {
    await settledLink(store, 'a')
    const asked = await subject()
    await store.inbox.receive(delivery(report('received'), { ref: 'a' }))
    expect(await store.reads.record(asked, ended, AFTER_END, null)).toBe('superseded')
    await store.reads.postpone(asked, after(END), null)
    expect((await linkOf(store, 'LINK-a')).expired).toBe(false)
    expect(await store.log.head()).toBe(2)
    expect(await nextDue(store)).toBeNull()
  })

  it("asks again when the answer is about another link, or another link's payment", async () => {
    await settledLink(store, 'a')
    await settledLink(store, 'b')
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2' }), { ref: 'b' }))
    const wrong = [report('received', { linkId: 'LINK-b' }), report('received', { paymentId: 'P2' })]
    for (const [failures, said] of wrong.entries()) {
      expect(await store.reads.record(await subject(), said, NOW, null)).toBe('fruitless')
      expect(await nextDue(store)).toEqual(after(15 * MINUTE * 2 ** failures))
    }
    expect((await subject()).failures).toBe(2)
    expect(await paymentOf(store, 'P2')).toMatchObject({ statusRaw: 'pending', linkRef: 'b' })
  })

  it('postpones the read of a link', async () => {
    await settledLink(store, 'a')
    await store.reads.postpone(await subject(), after(MINUTE), null)
    expect(await nextDue(store)).toEqual(after(MINUTE))
    expect((await subject()).failures).toBe(1)
  })
}
