import { expect, it } from 'vitest'
import { nextDue } from '../../support/due-reads.ts'
import { payoutReport, payoutTransaction } from '../../unit/domain/payouts.ts'
import {
  after,
  command,
  events,
  MINUTE,
  NOW,
  payoutCallback,
  payoutCommand,
  payoutOf,
  settledPayout,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

const PAYEE = {
  transactionId: 'T1',
  name: 'Ada Payee',
  accountNumberMasked: '***890',
  payIdMasked: null,
  bankCode: '600',
}

export function payoutCallbacksContract({ store }: Fixture): void {
  it('creates the payout, its event and its payees from a callback that comes before the answer', async () => {
    await store.commands.begin(payoutCommand('out', { site: 'second' }))
    const outcome = await store.inbox.receivePayout(payoutCallback(payoutReport('scheduled', { payees: [PAYEE] })))
    expect(outcome).toEqual({ disposition: 'APPLIED', repeat: false, readDue: false })
    expect(await payoutOf(store)).toMatchObject({ ref: 'out', site: 'second', status: 'scheduled', version: 1 })
    expect((await store.payouts.payees(['OUT1'])).get('OUT1')).toEqual([PAYEE])
    expect((await store.inbox.page({ limit: 5, before: null }, { subjectIds: ['OUT1'] })).rows).toMatchObject([
      { statusRaw: 'scheduled', disposition: 'APPLIED', attempts: 1, eventId: 'payout:OUT1.1', body: null },
    ])
    expect(JSON.stringify(await events(store))).not.toContain('Ada')
  })

  it('moves the payout and its transactions, and leaves late callbacks without an effect', async () => {
    await settledPayout(store)
    const settled = [payoutTransaction({ statusRaw: 'settled' })]
    for (const [status, parts] of [
      ['processing', {}],
      ['completed', { transactions: settled }],
      ['scheduled', {}],
    ] as const)
      await store.inbox.receivePayout(payoutCallback(payoutReport(status, parts)))
    expect(await payoutOf(store)).toMatchObject({ status: 'completed', version: 3, transactions: settled })
    expect((await store.inbox.page({ limit: 5, before: null }, {})).rows.map(({ disposition }) => disposition)).toEqual(
      ['STALE', 'APPLIED', 'APPLIED'],
    )
    expect(await nextDue(store, 'payout')).toBeNull()
  })

  it('keeps what was known of a payee when a later callback leaves it out', async () => {
    await settledPayout(store, 'out', { payees: [PAYEE] })
    const later = [
      { ...PAYEE, name: null, bankCode: '700' },
      { ...PAYEE, transactionId: 'T2', name: 'Joan' },
    ]
    await store.inbox.receivePayout(payoutCallback(payoutReport('processing', { payees: later })))
    expect((await store.payouts.payees(['OUT1'])).get('OUT1')).toEqual([
      { ...PAYEE, bankCode: '700' },
      { ...PAYEE, transactionId: 'T2', name: 'Joan' },
    ])
  })

  it('counts the same bytes as another attempt, and reads the payout when it differs', async () => {
    await settledPayout(store)
    const held = payoutCallback(payoutReport('held'))
    expect(await store.inbox.receivePayout(held)).toMatchObject({ disposition: 'APPLIED', readDue: true })
    const [subject] = [await store.payoutReads.subject('OUT1')]
    if (subject === null || subject === undefined) throw new Error('There is no subject.')
    await store.payoutReads.record(subject, payoutReport('processing'), after(MINUTE), null)
    const again = await store.inbox.receivePayout({ ...held, receivedAt: after(2 * MINUTE) })
    expect(again).toEqual({ disposition: 'APPLIED', repeat: true, readDue: true })
    expect(await payoutOf(store)).toMatchObject({ status: 'processing', provisional: true })
    expect(await nextDue(store, 'payout')).toEqual(after(2 * MINUTE))
    const backlog = await store.reads.backlog(after(3 * MINUTE))
    expect(backlog).toMatchObject({ waiting: 1, unconfirmedSince: null, doubtSince: after(MINUTE) })
  })

  it('is in doubt between the two ends, and counted as such', async () => {
    await settledPayout(store, 'out', { statusRaw: 'expired' })
    const outcome = await store.inbox.receivePayout(payoutCallback(payoutReport('completed')))
    expect(outcome).toEqual({ disposition: 'DOUBTFUL', repeat: false, readDue: true })
    expect(await store.inbox.backlog()).toEqual({ doubtful: 1, quarantined: 0 })
    const subject = await store.payoutReads.subject('OUT1')
    if (subject === null) throw new Error('There is no subject.')
    expect(await store.payoutReads.record(subject, payoutReport('completed'), NOW, null)).toBe('changed')
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })
  })

  it('quarantines what is unusable, or speaks of another payout than its address', async () => {
    await settledPayout(store)
    await settledPayout(store, 'b', { id: 'OUT2' })
    await store.commands.begin(command('link'))
    const wrong = [
      payoutCallback(null),
      payoutCallback(payoutReport('completed'), { ref: 'b' }),
      payoutCallback(payoutReport('completed', { id: 'OUT3' }), { bytes: '1' }),
      payoutCallback(payoutReport('completed', { id: 'OUT3' }), { ref: 'link', bytes: '2' }),
      payoutCallback(payoutReport('completed', { id: 'OUT3' }), { ref: 'unheard', bytes: '3' }),
    ]
    for (const each of wrong)
      expect(await store.inbox.receivePayout(each)).toEqual({
        disposition: 'QUARANTINED',
        repeat: false,
        readDue: each.report === null,
      })
    expect(await store.payouts.byIds(['OUT3'])).toEqual([])
    expect(await payoutOf(store)).toMatchObject({ status: 'created', version: 1 })
    const [latest] = (await store.inbox.page({ limit: 1, before: null }, {})).rows
    const parse = { payment: () => null, agreement: () => null }
    expect(await store.inbox.replay({ id: latest?.id ?? '', apply: true, at: NOW, parse })).toEqual({
      kind: 'not-replayable',
      reason: 'WITHOUT_BODY',
    })
  })
}
