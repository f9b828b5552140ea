import { describe, expect, it } from 'vitest'
import type { ListFilter } from '../../../src/domain/list-filter.ts'
import type { PayoutReport } from '../../../src/domain/payouts/payout-report.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { nextDue } from '../../support/due-reads.ts'
import { payoutReport } from '../../unit/domain/payouts.ts'
import {
  after,
  command,
  commandKey,
  delivery,
  events,
  MINUTE,
  NOW,
  payoutCallback,
  payoutCommand,
  pagedIds,
  payoutOf,
  pollAfter,
  report,
  settledLink,
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

export function payoutsContract({ store }: Fixture): void {
  const record = (id: string, said: PayoutReport, at = NOW) =>
    store.commands.settleWithPayout(id, { ref: 'out', site: 'au', report: said, at })
  const cancel = (id: string, said: PayoutReport, at = NOW) =>
    store.commands.settleWithPayoutCancellation(id, { payoutId: 'OUT1', report: said, at })

  async function begun(): Promise<string> {
    return (await store.commands.begin(payoutCommand('out'))).command.id
  }

  it('records the payout, its payees, the event and the result of the command at once', async () => {
    const said = payoutReport('created', { payees: [PAYEE] })
    const payout = await record(await begun(), said, after(MINUTE))
    expect(payout).toMatchObject({
      id: 'OUT1',
      ref: 'out',
      site: 'au',
      streamId: 'payout:OUT1',
      version: 1,
      status: 'created',
      totalAmount: '40.00',
      provisional: false,
      createdAt: after(MINUTE).toISOString(),
    })
    expect(await payoutOf(store)).toEqual(payout)
    expect(await events(store)).toEqual([
      {
        id: 'payout:OUT1.1',
        streamId: 'payout:OUT1',
        sequence: 1,
        position: 1,
        kind: 'PAYOUT_CREATED',
        source: 'COMMAND',
        requestedBy: 'back-office',
        fromStatus: null,
        toStatus: 'created',
        linkRef: null,
        payment: null,
        agreement: null,
        payout,
        gatewayPayment: null,
        recordedAt: after(MINUTE).toISOString(),
      },
    ])
    expect(await store.payouts.payees(['OUT1', 'NONE'])).toEqual(new Map([['OUT1', [PAYEE]]]))
    expect(JSON.stringify(await events(store))).not.toMatch(/Ada|890/)
    expect(await store.payouts.snapshot('OUT1')).toEqual({ payout, head: 1 })
    expect(await store.payouts.snapshot('NONE')).toBeNull()
    expect(await store.commands.find(commandKey('createPayout', 'key-out'))).toMatchObject({
      state: 'SETTLED',
      result: { payoutId: 'OUT1' },
    })
    expect(await store.commands.tracePayout('out')).toEqual(payout)
    expect(await nextDue(store, 'payout')).toSatisfy(pollAfter(after(MINUTE)))
  })

  it('changes nothing when it is settled a second time, and refuses another outcome', async () => {
    const id = await begun()
    const first = await record(id, payoutReport('created'))
    expect(await record(id, payoutReport('completed'), after(MINUTE))).toEqual(first)
    const other = payoutReport('created', { id: 'OUT2' })
    await expect(record(id, other)).rejects.toThrow(StoreConflictError)
    const { command: second } = await store.commands.begin(payoutCommand('b'))
    const taken = store.commands.settleWithPayout(second.id, {
      ref: 'b',
      site: 'au',
      report: payoutReport('created'),
      at: NOW,
    })
    await expect(taken).rejects.toThrow('belongs to another command')
    expect(await store.log.head()).toBe(1)
  })

  it('only fills in what the callbacks that overtook the answer left out', async () => {
    const id = await begun()
    const early = { reference: null, description: null, payees: [{ ...PAYEE, name: null }] }
    await store.inbox.receivePayout(payoutCallback(payoutReport('processing', early)))
    const answer = payoutReport('created', { payees: [PAYEE] })
    const payout = await record(id, answer, after(MINUTE))
    expect(payout).toMatchObject({ status: 'processing', version: 2, reference: 'batch-1' })
    expect((await events(store)).map(({ kind, source }) => [kind, source])).toEqual([
      ['PAYOUT_CREATED', 'WEBHOOK'],
      ['PAYOUT_DETAILS_CHANGED', 'COMMAND'],
    ])
    expect((await store.payouts.payees(['OUT1'])).get('OUT1')).toEqual([PAYEE])
  })

  it('records an accepted cancellation with the state that was read after it', async () => {
    await settledPayout(store, 'out', { statusRaw: 'scheduled' })
    const about = { refKind: null, subject: { payoutId: 'OUT1' } } as const
    const { command: asked } = await store.commands.begin(command('cancel', about))
    const cancelled = await cancel(asked.id, payoutReport('expired'), after(MINUTE))
    expect(cancelled).toMatchObject({
      status: 'expired',
      cancelledAt: after(MINUTE).toISOString(),
      provisional: false,
      version: 2,
    })
    expect(await nextDue(store, 'payout')).toBeNull()
    const again = await cancel(asked.id, payoutReport('expired'))
    expect(again).toEqual(cancelled)
  })

  it('has a cancellation confirmed that a callback has overtaken', async () => {
    await settledPayout(store, 'out', { statusRaw: 'scheduled' })
    const about = { refKind: null, subject: { payoutId: 'OUT1' } } as const
    const { command: asked } = await store.commands.begin(command('cancel', about))
    await store.inbox.receivePayout(payoutCallback(payoutReport('processing')))
    await cancel(asked.id, payoutReport('expired'), after(MINUTE))
    expect(await payoutOf(store)).toMatchObject({ status: 'expired', provisional: true })
    expect(await nextDue(store, 'payout')).toEqual(after(MINUTE))
  })

  it('settles the cancellation of a payout that is not on record', async () => {
    const about = { refKind: null, subject: { payoutId: 'OLD' } } as const
    const { command: asked } = await store.commands.begin(command('cancel', about))
    const said = payoutReport('expired', { id: 'OLD' })
    expect(
      await store.commands.settleWithPayoutCancellation(asked.id, { payoutId: 'OLD', report: said, at: NOW }),
    ).toBeNull()
    expect(await store.payouts.byIds(['OLD'])).toEqual([])
    expect(await store.log.head()).toBe(0)
  })

  describe('in the log', () => {
    async function history(): Promise<void> {
      await settledLink(store, 'a')
      await settledPayout(store)
      await store.inbox.receive(delivery(report('pending', { paymentId: 'P1' }), { ref: 'a' }))
      await store.inbox.receivePayout(payoutCallback(payoutReport('processing')))
      await settledPayout(store, 'b', { id: 'OUT2' })
      await store.inbox.receive(delivery(report('received', { paymentId: 'P1' }), { ref: 'a' }))
    }

    it.each<[string, Parameters<typeof store.log.read>[2], readonly string[]]>([
      ['payoutIds', { payoutIds: ['OUT1', 'NONE'] }, ['payout:OUT1.1', 'payout:OUT1.2']],
      ['their stream', { streamIds: ['payout:OUT2'] }, ['payout:OUT2.1']],
      [
        'several streams',
        { streamIds: ['payout:OUT2', 'link:a'] },
        ['link:a.1', 'link:a.2', 'payout:OUT2.1', 'link:a.3'],
      ],
      ['kinds', { kinds: ['PAYOUT_STATUS_CHANGED'] }, ['payout:OUT1.2']],
      ['kinds of both', { kinds: ['PAYOUT_CREATED', 'LINK_CREATED'] }, ['link:a.1', 'payout:OUT1.1', 'payout:OUT2.1']],
      ['both', { payoutIds: ['OUT1', 'OUT2'], kinds: ['PAYOUT_CREATED'] }, ['payout:OUT1.1', 'payout:OUT2.1']],
      ['a stream and another id', { streamIds: ['payout:OUT1'], payoutIds: ['OUT2'] }, []],
      ['a payout and a payment', { payoutIds: ['OUT1'], paymentIds: ['P1'] }, []],
      ['a payout and kinds of links', { payoutIds: ['OUT1'], kinds: ['LINK_CREATED'] }, []],
      ['payments', { paymentIds: ['P1'] }, ['link:a.2', 'link:a.3']],
      ['no payout', { payoutIds: [] }, []],
    ])('are found by %s', async (_, filter, ids) => {
      await history()
      const { log } = store
      expect((await log.read(0, 100, filter)).events.map(({ id }) => id)).toEqual(ids)
      const [first] = (await log.read(0, 1, filter)).events
      expect(first?.id).toBe(ids[0])
    })
  })

  describe('in lists', () => {
    async function filled(): Promise<void> {
      for (const [n, parts] of [
        { statusRaw: 'created', reference: 'x', currency: 'AUD' },
        { statusRaw: 'scheduled', currency: 'PHP', methodCode: 'ph_bank_php', site: 'php' },
        { statusRaw: 'created', currency: 'PHP', methodCode: 'ph_ewallet_php', site: 'php' },
        { statusRaw: 'held', reference: 'x' },
        { statusRaw: 'completed', totalAmount: null },
        { statusRaw: 'completed' },
        { statusRaw: 'created', reference: 'x', currency: 'PHP', methodCode: 'ph_bank_php', site: 'php' },
      ].entries())
        await settledPayout(store, `r${n}`, { id: `OUT${n}`, at: after(n * MINUTE), ...parts })
    }

    it.each<[ListFilter, readonly string[]]>([
      [{}, ['OUT6', 'OUT5', 'OUT3', 'OUT2', 'OUT1', 'OUT0']],
      [{ statuses: ['created', 'scheduled', 'created'] }, ['OUT6', 'OUT2', 'OUT1', 'OUT0']],
      [{ statuses: [] }, []],
      [{ reference: 'x' }, ['OUT6', 'OUT3', 'OUT0']],
      [{ reference: 'x', statuses: ['created'] }, ['OUT6', 'OUT0']],
      [{ currency: 'PHP' }, ['OUT6', 'OUT2', 'OUT1']],
      [{ methodCode: 'ph_bank_php' }, ['OUT6', 'OUT1']],
      [{ site: 'php', statuses: ['created'] }, ['OUT6', 'OUT2']],
      [{ currency: 'PHP', methodCode: 'au_bank_aud' }, []],
      [{ site: 'au', currency: 'AUD', reference: 'x' }, ['OUT3', 'OUT0']],
      [{ reference: 'x', methodCode: 'ph_bank_php' }, ['OUT6']],
      [{ reference: 'x', currency: 'AUD', statuses: ['created'] }, ['OUT0']],
      [{ reference: 'x', site: 'au', createdFrom: after(MINUTE) }, ['OUT3']],
      [{ reference: 'x', methodCode: 'ph_ewallet_php' }, []],
      [{ reference: 'y', site: 'au' }, []],
      [{ createdFrom: after(MINUTE), createdBefore: after(3 * MINUTE) }, ['OUT2', 'OUT1']],
      [{ createdFrom: after(MINUTE), currency: 'AUD' }, ['OUT5', 'OUT3']],
      [{ ids: ['OUT5', 'OUT1'] }, ['OUT5', 'OUT1']],
    ])('are those of %j, newest first, on every page', async (filter, ids) => {
      await filled()
      const { payouts } = store
      expect((await payouts.page({ limit: 10, before: null }, filter)).rows.map(({ row }) => row.id)).toEqual(ids)
      expect(await pagedIds((query) => payouts.page(query, filter))).toEqual(ids)
    })

    it('refuse a place of the other order', async () => {
      await filled()
      const [first] = (await store.payouts.page({ limit: 1, before: null }, {})).rows
      const filter = { createdFrom: NOW }
      await expect(store.payouts.page({ limit: 1, before: first ?? null }, filter)).rejects.toThrow(RangeError)
    })
  })
}
