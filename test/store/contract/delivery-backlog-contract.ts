import { expect, it } from 'vitest'
import type { DeliveryFilter, PageCursor } from '../../../src/store/port.ts'
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
  settledLink,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function deliveryBacklogContract({ store }: Fixture): void {
  /** Returns the deliveries that are counted. */
  const listed = async (filter: DeliveryFilter = {}, limit = 9, before: PageCursor | null = null) =>
    (await store.inbox.page({ limit, before }, { ...filter, needsAttention: true })).rows

  it('is nothing where everything was clear', async () => {
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })
    await store.inbox.receive(delivery(report('pending')))
    await store.inbox.receive(delivery(report('received')))
    await store.inbox.receive(delivery(report('pending')))
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })
  })

  it('counts the doubtful deliveries about a payment until a read has decided, and those alone', async () => {
    for (const paymentId of ['PAY1', 'PAY2']) {
      await store.inbox.receive(delivery(report('failed', { paymentId })))
      await store.inbox.receive(delivery(report('authorised', { paymentId })))
    }
    await store.inbox.receive(delivery(report('pending')))
    expect(await store.inbox.backlog()).toEqual({ doubtful: 3, quarantined: 0 })

    await store.reads.record(present(await store.reads.subject('PAY1')), report('failed'), after(MINUTE), null)
    expect(await store.inbox.backlog()).toEqual({ doubtful: 1, quarantined: 0 })
    expect((await listed()).map(({ subjectId }) => subjectId)).toEqual(['PAY2'])
    expect(await listed({ subjectIds: ['PAY1'] })).toEqual([])
    expect(await listed({ dispositions: ['QUARANTINED'] })).toEqual([])
    const kept = (await store.inbox.page({ limit: 9, before: null }, { dispositions: ['DOUBTFUL'] })).rows
    expect(kept).toHaveLength(3)
  })

  it('counts a doubtful callback of an agreement until a read has decided', async () => {
    await settledAgreement(store)
    await store.inbox.receiveAgreement(callback(agreementReport('active', { serviceId: '4712' })))
    expect(await store.inbox.backlog()).toEqual({ doubtful: 1, quarantined: 0 })
    const subject = present(await store.agreementReads.subject('client-1'))
    await store.agreementReads.record(subject, agreementReport('active'), NOW, null)
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })
  })

  it('does not count what was believed, when the payment is in doubt for another reason', async () => {
    await store.inbox.receive(delivery(report('a status of tomorrow')))
    expect((await store.payments.byIds(['PAY1']))[0]?.provisional).toBe(true)
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })
  })

  it('counts what was quarantined until a replay has made use of it', async () => {
    await settledLink(store, 'a')
    const unread = { ...delivery(report('pending'), { ref: 'a' }), report: null }
    await store.inbox.receive(unread)
    await store.inbox.receive({ ...unread, receivedAt: after(MINUTE) })
    await store.inbox.receive(delivery(null, { body: null, bytes: 'no object' }))
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 2 })
    const [newest, ...others] = await listed()
    expect([newest?.ref, others.length]).toEqual([null, 1])
    expect(await listed({}, 1, present(newest))).toEqual(others)

    const replayed = (await store.inbox.page({ limit: 9, before: null }, {})).rows.find(({ ref }) => ref === 'a')
    const parse = { payment: () => report('pending'), agreement: () => null }
    await store.inbox.replay({ id: present(replayed).id, apply: true, at: NOW, parse })
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 1 })
  })
}
