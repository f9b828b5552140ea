import { expect, it } from 'vitest'
import { dueIds, dueReads } from '../../support/due-reads.ts'
import { payoutReport } from '../../unit/domain/payouts.ts'
import {
  after,
  agreementReport,
  callback,
  delivery,
  MINUTE,
  NOW,
  payoutCallback,
  present,
  report,
  settledAgreement,
  settledLink,
  settledPayout,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** When the sweeps run, in milliseconds after `NOW`. */
const GAP = 10 * MINUTE
const DAY = 24 * 60 * MINUTE

export function sweepContract(fixture: Fixture): void {
  const { store } = fixture
  const receive = (paymentId: string, status: string) => store.inbox.receive(delivery(report(status, { paymentId })))

  async function sweep(): Promise<number> {
    let planned = 0
    for (;;) {
      const step = await store.sweep.step(after(GAP), null)
      planned += step.planned
      if (step.done) return planned
    }
  }

  const polls = async () => (await dueReads(store.reads, after(GAP), 5_000, ['poll'])).map(({ paymentId }) => paymentId)
  const linkDueAt = async (id: string) => present(await store.reads.subject(id)).dueAt

  it('brings the reads of payments, agreements and payouts forward that are under way', async () => {
    for (const status of ['pending', 'authorised', 'waiting', 'received']) await receive(status, status)
    await settledAgreement(store)
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2' })
    await store.inbox.receiveAgreement(callback(agreementReport('active')))
    await settledPayout(store)
    await settledPayout(store, 'out-2', { id: 'OUT2' })
    await store.inbox.receivePayout(payoutCallback(payoutReport('completed')))
    await store.sweep.begin(NOW, after(GAP), null)
    expect(await store.heartbeat.last()).toEqual(after(GAP))
    expect(await sweep()).toBe(5)
    expect(new Set(await polls())).toEqual(new Set(['authorised', 'pending', 'waiting']))
    expect(await dueIds(store, 'agreement', after(GAP))).toEqual(['AGR2'])
    expect(await dueIds(store, 'payout', after(GAP))).toEqual(['OUT2'])
    expect(await store.sweep.pending()).toBeNull()
    expect(await store.sweep.step(after(GAP), null)).toEqual({ planned: 0, done: true })
  })

  it('spreads the reads of open links, and leaves those that expire within an hour', async () => {
    const expiresAt = (ms: number) => ({ expiresAt: after(GAP + ms).toISOString() })
    await settledLink(store, 'soon', expiresAt(50 * MINUTE))
    await settledLink(store, 'over', expiresAt(-5 * MINUTE))
    await settledLink(store, 'later', expiresAt(2 * DAY))
    await settledLink(store, 'tomorrow', expiresAt(DAY))
    const before = [await linkDueAt('LINK-soon'), await linkDueAt('LINK-over')]
    await store.sweep.begin(NOW, after(GAP), null)
    expect(await sweep()).toBe(2)
    expect([await linkDueAt('LINK-soon'), await linkDueAt('LINK-over')]).toEqual(before)
    expect(await linkDueAt('LINK-tomorrow')).toEqual(after(GAP))
    expect(await linkDueAt('LINK-later')).toEqual(after(GAP + 2_000))
  })

  it('leaves a doubt, and a read that is due already', async () => {
    await receive('DOUBT', 'failed')
    await receive('DUE', 'pending')
    const due = present(present(await store.reads.subject('DUE')).dueAt)
    await store.sweep.begin(NOW, due, null)
    expect(await store.sweep.step(due, null)).toEqual({ planned: 0, done: true })
    expect(await dueReads(store.reads, NOW, 9, ['doubt'])).toMatchObject([{ paymentId: 'DOUBT', dueAt: NOW }])
  })

  it('goes on after a restart where it stood, and meets each once', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `P${String(n).padStart(4, '0')}`)
    for (let n = 0; n < ids.length; n += 100)
      await Promise.all(ids.slice(n, n + 100).map((id) => receive(id, 'pending')))
    for (let n = 0; n < 300; n += 100)
      await Promise.all(
        ids.slice(n, n + 100).map((id) => settledLink(store, id, { expiresAt: after(DAY).toISOString() })),
      )
    await store.sweep.begin(after(-60 * MINUTE), after(GAP), null)
    for (const planned of [250, 50, 250])
      expect(await store.sweep.step(after(GAP), null)).toEqual({ planned, done: false })
    fixture.current = await fixture.opened.reopen()
    expect(await store.sweep.pending()).toEqual(after(-60 * MINUTE))
    expect(await sweep()).toBe(50)
    expect(await polls()).toHaveLength(300)
    expect(await dueIds(store, 'link', after(GAP + 299 * 2_000))).toHaveLength(300)
    expect(await dueIds(store, 'link', after(GAP + 299 * 2_000 - 1))).toHaveLength(299)
  })

  it('has the earlier instant when a second gap comes before its end', async () => {
    await store.sweep.begin(after(-60 * MINUTE), after(5 * MINUTE), null)
    await store.sweep.begin(NOW, after(GAP), null)
    expect(await store.sweep.pending()).toEqual(after(-60 * MINUTE))
  })
}
