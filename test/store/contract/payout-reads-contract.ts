import { expect, it } from 'vitest'
import type { PayoutReadSubject } from '../../../src/store/port.ts'
import { dueIds, nextDue } from '../../support/due-reads.ts'
import { payoutReport } from '../../unit/domain/payouts.ts'
import { after, events, MINUTE, NOW, payoutCallback, payoutOf, present, settledPayout } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const DAY = 24 * 60 * MINUTE

export function payoutReadsContract({ store }: Fixture): void {
  async function subject(id = 'OUT1'): Promise<PayoutReadSubject> {
    return present(await store.payoutReads.subject(id))
  }

  /** Creates a payout whose last callback has a status that is not known. */
  async function held(): Promise<void> {
    await settledPayout(store)
    await store.inbox.receivePayout(payoutCallback(payoutReport('held'), { receivedAt: after(MINUTE) }))
  }

  it('plans a read of what is to be confirmed, and of what is not at its end', async () => {
    await held()
    await settledPayout(store, 'b', { id: 'OUT2', site: 'php' })
    await settledPayout(store, 'c', { id: 'OUT3', statusRaw: 'completed' })
    const due = (by: Date) => dueIds(store, 'payout', by)
    expect((await store.reads.sites()).toSorted()).toEqual(['au', 'php'])
    expect(await nextDue(store, 'payout')).toEqual(after(MINUTE))
    expect(await due(NOW)).toEqual([])
    expect(await due(after(MINUTE))).toEqual(['OUT1'])
    expect((await due(after(DAY))).toSorted()).toEqual(['OUT1', 'OUT2'])
    expect(await nextDue(store)).toBeNull()
    expect(await store.payoutReads.subject('NONE')).toBeNull()
  })

  it('sets an answer aside when a newer one was recorded since the read was sent', async () => {
    await held()
    const asked = await subject()
    expect(asked).toMatchObject({ deliveries: 1, failures: 0, dueAt: after(MINUTE) })
    expect(await store.payoutReads.record(await subject(), payoutReport('processing'), NOW, null)).toBe('changed')
    expect(await store.payoutReads.record(asked, payoutReport('expired'), NOW, null)).toBe('superseded')
    expect((await payoutOf(store)).status).toBe('processing')
  })

  it('records what a read shows as an event of our own, and ends the doubt', async () => {
    await held()
    const payees = [{ transactionId: 'T1', name: 'Ada', accountNumberMasked: null, payIdMasked: null, bankCode: null }]
    const said = payoutReport('completed', { payees })
    expect(await store.payoutReads.record(await subject(), said, after(2 * MINUTE), null)).toBe('changed')
    expect((await events(store)).at(-1)).toMatchObject({
      kind: 'PAYOUT_STATUS_CHANGED',
      source: 'READ',
      fromStatus: 'held',
      toStatus: 'completed',
      payout: { provisional: false },
    })
    expect((await store.payouts.payees(['OUT1'])).get('OUT1')).toEqual(payees)
    expect(await nextDue(store, 'payout')).toBeNull()
  })

  it('counts an answer that cannot be true, and a failure, and retries later', async () => {
    await held()
    const another = payoutReport('completed', { currency: 'JPY' })
    expect(await store.payoutReads.record(await subject(), another, NOW, null)).toBe('fruitless')
    expect((await subject()).failures).toBe(1)
    await store.payoutReads.postpone(await subject(), after(5 * MINUTE), null)
    expect(await subject()).toMatchObject({ failures: 2, dueAt: after(5 * MINUTE) })
    const stale = await subject()
    await store.inbox.receivePayout(payoutCallback(payoutReport('held_again'), { receivedAt: after(MINUTE) }))
    await store.payoutReads.postpone(stale, after(9 * MINUTE), null)
    expect(await nextDue(store, 'payout')).toEqual(after(MINUTE))
  })
}
