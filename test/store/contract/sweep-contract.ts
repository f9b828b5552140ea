import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { dueReads } from '../../support/due-reads.ts'
import {
  after,
  agreementReport,
  callback,
  delivery,
  MINUTE,
  NOW,
  report,
  settledAgreement,
  settledLink,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

/** When the sweeps run, in milliseconds after `NOW`: three hours. */
const GAP = 180 * MINUTE

export function sweepContract(fixture: Fixture): void {
  const receive = (paymentId: string, status: string, minutes: number) =>
    fixture.store.inbox.receive(delivery(report(status, { paymentId }), { receivedAt: after(minutes * MINUTE) }))

  async function sweep(store: Store): Promise<number> {
    let planned = 0
    for (;;) {
      const step = await store.sweep.step(after(GAP))
      planned += step.planned
      if (step.done) return planned
    }
  }

  const swept = async (store: Store) =>
    (await dueReads(store.reads, after(GAP), 5_000, ['poll'])).map(({ paymentId, link }) => paymentId ?? link?.id ?? '')

  it('plans reads of what changed since an instant, of what is under way, and of links that were open', async () => {
    const { store } = fixture
    await receive('OLD-PAID', 'received', -100_000)
    await receive('OLD-PENDING', 'pending', -90_000)
    await receive('OLD-REFUND', 'received', -81_000)
    await receive('OLD-REFUND', 'return_pending', -80_000)
    await receive('OLD-DISPUTE', 'received', -71_000)
    await receive('OLD-DISPUTE', 'in_dispute', -70_000)
    await receive('PAID', 'received', -10)
    await receive('FINAL', 'return_received', -5)
    await settledLink(store, 'open', { createdAt: NOW.toISOString(), expiresAt: after(2 * GAP).toISOString() })
    await settledLink(store, 'over', { expiresAt: after(-60 * MINUTE).toISOString() })
    for (const { paymentId } of await dueReads(store.reads, after(GAP), 99))
      if (paymentId !== null) await confirm(paymentId)
    await store.sweep.begin(after(-45 * MINUTE), after(GAP))
    expect(await store.heartbeat.last()).toEqual(after(GAP))
    await sweep(store)
    const due = await swept(store)
    expect(due.toSorted()).toEqual(['LINK-open', 'OLD-DISPUTE', 'OLD-PENDING', 'OLD-REFUND', 'PAID'])
    expect(await store.sweep.pending()).toBeNull()
    expect(await store.sweep.step(after(GAP))).toEqual({ planned: 0, done: true })
  })

  /** Records a read of a payment 50 minutes before `NOW`, so that only its poll is planned. */
  async function confirm(paymentId: string): Promise<void> {
    const [payment] = await fixture.store.payments.byIds([paymentId])
    const subject = await fixture.store.reads.subject(paymentId)
    if (payment === undefined || subject === null) throw new Error('It is not on record.')
    const said = report(payment.statusRaw, { paymentId })
    await fixture.store.reads.record(subject, said, after(-50 * MINUTE))
  }

  it('reads first what has been unconfirmed for longest', async () => {
    const { store } = fixture
    for (const [id, minutes] of [
      ['P1', -1],
      ['P3', -3],
      ['P2', -2],
      ['P9', -9_000],
    ] as const)
      await receive(id, 'pending', minutes)
    await store.sweep.begin(after(-60 * MINUTE), after(GAP))
    await sweep(store)
    expect(await swept(store)).toEqual(['P9', 'P3', 'P2', 'P1'])
  })

  it('goes on after a restart where it stood, and meets each once', async () => {
    const { store } = fixture
    const ids = Array.from({ length: 600 }, (_, n) => `P${String(n).padStart(4, '0')}`)
    for (let n = 0; n < ids.length; n += 100)
      await Promise.all(ids.slice(n, n + 100).map((id) => receive(id, 'received', -(n % 7))))
    await store.sweep.begin(after(-60 * MINUTE), after(GAP))
    expect(await store.sweep.step(after(GAP))).toEqual({ planned: 250, done: false })
    const again = await fixture.opened.reopen()
    expect(await again.sweep.pending()).toEqual(after(-60 * MINUTE))
    expect(await sweep(again)).toBe(350)
    expect(new Set(await swept(again)).size).toBe(600)
  })

  it('begins anew from the earlier instant when a second gap comes before its end', async () => {
    const { store } = fixture
    await receive('FIRST', 'received', -50)
    await receive('SECOND', 'received', 10)
    await store.sweep.begin(after(-60 * MINUTE), after(5 * MINUTE))
    await store.sweep.step(after(GAP))
    await store.sweep.begin(NOW, after(GAP))
    expect(await store.sweep.pending()).toEqual(after(-60 * MINUTE))
    await sweep(store)
    expect(await swept(store)).toEqual(['FIRST', 'SECOND'])
  })

  it('plans reads of the agreements that changed, or wait for their payers', async () => {
    const { store } = fixture
    await settledAgreement(store)
    await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2', statusRaw: 'cancelled' })
    await store.inbox.receiveAgreement(callback(agreementReport('active')))
    await store.sweep.begin(after(-60 * MINUTE), after(GAP))
    await sweep(store)
    const due = await dueReads(store.agreementReads, after(GAP))
    expect(due.map(({ agreement }) => agreement.id)).toContain('AGR1')
    expect(due.map(({ agreement }) => agreement.id)).not.toContain('AGR2')
  })
}
