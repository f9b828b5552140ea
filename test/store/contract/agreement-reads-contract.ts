import { expect, it } from 'vitest'
import type { AgreementReadSubject } from '../../../src/store/port.ts'
import { dueIds, nextDue } from '../../support/due-reads.ts'
import {
  after,
  agreementOf,
  agreementReport,
  callback,
  events,
  MINUTE,
  NO_AGREEMENT_PAYER,
  NOW,
  present,
  settledAgreement,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function agreementReadsContract({ store }: Fixture): void {
  async function subject(id = 'AGR1'): Promise<AgreementReadSubject> {
    return present(await store.agreementReads.subject(id))
  }

  /** Creates an agreement that a callback has reported as suspended, which plans a read. */
  async function suspended(): Promise<void> {
    await settledAgreement(store)
    await store.inbox.receiveAgreement(callback(agreementReport('active')))
    await store.inbox.receiveAgreement(callback(agreementReport('suspended'), { receivedAt: after(MINUTE) }))
  }

  it('plans a read when a callback is to be confirmed, longest due first', async () => {
    await suspended()
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2' })
    const failed = agreementReport('failed', { id: 'AGR2', clientTransactionId: 'client-2' })
    await store.inbox.receiveAgreement(callback(failed, { ref: 'b' }))
    const due = (by: Date) => dueIds(store, 'agreement', by)
    expect(await nextDue(store, 'agreement')).toEqual(NOW)
    expect(await due(NOW)).toEqual(['AGR2'])
    expect(await due(after(MINUTE))).toEqual(['AGR2', 'AGR1'])
    expect(await nextDue(store)).toBeNull()
  })

  it('tells what is to be read, by id or by clientTransactionId', async () => {
    await suspended()
    const expected = { agreement: await agreementOf(store), deliveries: 2, failures: 0, dueAt: after(MINUTE) }
    expect(await subject()).toEqual(expected)
    expect(await subject('client-1')).toEqual(expected)
    expect(await store.agreementReads.subject('NONE')).toBeNull()
  })

  it('records what a read shows as an event of our own', async () => {
    await suspended()
    const payer = { ...NO_AGREEMENT_PAYER, name: 'Ada' }
    const said = agreementReport('active', { limit: '70', payer })
    expect(await store.agreementReads.record(await subject(), said, after(2 * MINUTE), null)).toBe('changed')
    expect((await events(store)).at(-1)).toMatchObject({
      kind: 'AGREEMENT_STATUS_CHANGED',
      source: 'READ',
      fromStatus: 'suspended',
      toStatus: 'active',
      agreement: { limit: '70', version: 4 },
      recordedAt: after(2 * MINUTE).toISOString(),
    })
    expect((await store.agreements.payers(['AGR1'])).get('AGR1')?.name).toBe('Ada')
    expect(await nextDue(store, 'agreement')).toBeNull()
  })

  it('sets an answer aside when a callback or a repeat of one was stored since the read was sent', async () => {
    await suspended()
    const first = await subject()
    await store.inbox.receiveAgreement(callback(agreementReport('active'), { receivedAt: after(2 * MINUTE) }))
    expect(await store.agreementReads.record(first, agreementReport('failed'), NOW, null)).toBe('superseded')
    const second = await subject()
    await store.inbox.receiveAgreement(callback(agreementReport('cancelled'), { receivedAt: after(2 * MINUTE) }))
    expect(await store.agreementReads.record(second, agreementReport('active'), NOW, null)).toBe('superseded')
    expect(await agreementOf(store)).toMatchObject({ status: 'cancelled', version: 4 })
    expect(await nextDue(store, 'agreement')).toEqual(after(MINUTE))
  })

  it('asks again in 15 minutes when the answer tells nothing, and later each time', async () => {
    await suspended()
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2' })
    const wrong = [
      agreementReport('created'),
      agreementReport('active', { id: 'AGR2' }),
      agreementReport('active', { clientTransactionId: 'client-2' }),
    ]
    const isDue = async (at: Date) => (await dueIds(store, 'agreement', at)).includes('AGR1')
    for (const [failures, said] of wrong.entries()) {
      expect(await store.agreementReads.record(await subject(), said, NOW, null)).toBe('fruitless')
      const wait = 15 * MINUTE * 2 ** failures
      expect(await isDue(after(wait - 1))).toBe(false)
      expect(await isDue(after(wait))).toBe(true)
    }
    expect(await subject()).toMatchObject({ failures: 3, agreement: { status: 'suspended', version: 3 } })
    await store.agreementReads.record(await subject(), agreementReport('suspended'), NOW, null)
    expect((await subject()).failures).toBe(0)
  })

  it('keeps the read that a doubt waits for when the agreement ends', async () => {
    await suspended()
    await store.inbox.receiveAgreement(
      callback(agreementReport('active', { limit: '70' }), { receivedAt: after(MINUTE) }),
    )
    const late = agreementReport('created')
    expect(await store.agreementReads.record(await subject(), late, after(2 * MINUTE), null)).toBe('fruitless')
    const due = await nextDue(store, 'agreement')
    await store.inbox.receiveAgreement(callback(agreementReport('cancelled'), { receivedAt: after(3 * MINUTE) }))
    expect(await agreementOf(store)).toMatchObject({ status: 'cancelled', provisional: true })
    expect(await nextDue(store, 'agreement')).toEqual(due)
  })

  it('postpones a read, unless a callback asked for it since', async () => {
    await suspended()
    const asked = await subject()
    await store.agreementReads.postpone(asked, after(5 * MINUTE), null)
    expect(await nextDue(store, 'agreement')).toEqual(after(5 * MINUTE))
    expect((await subject()).failures).toBe(1)
    await store.inbox.receiveAgreement(callback(agreementReport('active'), { receivedAt: after(2 * MINUTE) }))
    await store.inbox.receiveAgreement(callback(agreementReport('failed'), { receivedAt: after(2 * MINUTE) }))
    await store.agreementReads.postpone(asked, null, null)
    expect(await nextDue(store, 'agreement')).toEqual(after(2 * MINUTE))
    await store.agreementReads.postpone(await subject(), null, null)
    expect(await nextDue(store, 'agreement')).toBeNull()
  })
}
