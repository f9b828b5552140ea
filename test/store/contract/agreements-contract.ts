import { expect, it } from 'vitest'
import type { AgreementReport } from '../../../src/domain/agreements/agreement-report.ts'
import type { ListFilter } from '../../../src/domain/list-filter.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { nextDue } from '../../support/due-reads.ts'
import {
  after,
  agreementCommand,
  agreementOf,
  agreementReport,
  callback,
  command,
  commandKey,
  delivery,
  events,
  MINUTE,
  NO_AGREEMENT_PAYER,
  NOW,
  report,
  settledAgreement,
  pollAfter,
  present,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function agreementsContract({ store }: Fixture): void {
  const record = (id: string, said: AgreementReport, at = NOW) =>
    store.commands.settleWithAgreement(id, { ref: 'agr', site: 'au', report: said, at })
  const payer = { ...NO_AGREEMENT_PAYER, name: 'Ada', bsb: '000-000', accountNumberMasked: '•••42' }

  async function begun(): Promise<string> {
    return (await store.commands.begin(agreementCommand('agr'))).command.id
  }

  it('records the agreement, its payer, the event and the result of the command at once', async () => {
    const said = agreementReport('created', { payer })
    const agreement = await record(await begun(), said, after(MINUTE))

    expect(agreement).toMatchObject({
      id: 'AGR1',
      ref: 'agr',
      site: 'au',
      streamId: 'agreement:agr',
      version: 1,
      status: 'created',
      limit: '100.00',
      provisional: false,
    })
    expect(await agreementOf(store)).toEqual(agreement)
    expect(await events(store)).toEqual([
      {
        id: 'agreement:agr.1',
        streamId: 'agreement:agr',
        sequence: 1,
        position: 1,
        kind: 'AGREEMENT_CREATED',
        source: 'COMMAND',
        requestedBy: 'back-office',
        fromStatus: null,
        toStatus: 'created',
        linkRef: null,
        payment: null,
        agreement,
        payout: null,
        gatewayPayment: null,
        recordedAt: after(MINUTE).toISOString(),
      },
    ])
    expect(await store.agreements.payers(['AGR1', 'NONE'])).toEqual(new Map([['AGR1', payer]]))
    expect(JSON.stringify(await events(store))).not.toContain('Ada')
    expect(await store.commands.find(commandKey('createPaymentAgreement', 'client-1'))).toMatchObject({
      state: 'SETTLED',
      result: { agreementId: 'AGR1' },
    })
    expect(await nextDue(store, 'agreement')).toSatisfy(pollAfter(NOW))
  })

  it('changes nothing when it is settled a second time', async () => {
    const id = await begun()
    const first = await record(id, agreementReport('created'))
    const again = await record(id, agreementReport('active'), after(MINUTE))
    expect(again).toEqual(first)
    const other = agreementReport('created', { id: 'AGR2', clientTransactionId: null })
    await expect(record(id, other)).rejects.toThrow(StoreConflictError)
    expect(await store.log.head()).toBe(1)
  })

  it('only fills in what the callbacks that overtook the answer left out', async () => {
    const id = await begun()
    const early = { reference: null, serviceId: null, payer: { ...NO_AGREEMENT_PAYER, name: 'Ada' } }
    await store.inbox.receiveAgreement(callback(agreementReport('created', early)))
    await store.inbox.receiveAgreement(callback(agreementReport('active', early)))
    const answer = agreementReport('created', { reference: 'mine', payer: { ...payer, name: 'A.' } })
    const agreement = await record(id, answer, after(MINUTE))

    expect(agreement).toMatchObject({ status: 'active', version: 3, reference: 'mine', serviceId: '4711' })
    expect((await events(store)).map(({ kind, source }) => [kind, source])).toEqual([
      ['AGREEMENT_CREATED', 'WEBHOOK'],
      ['AGREEMENT_STATUS_CHANGED', 'WEBHOOK'],
      ['AGREEMENT_AMENDED', 'COMMAND'],
    ])
    expect((await store.agreements.payers(['AGR1'])).get('AGR1')).toEqual(payer)
    expect(await nextDue(store, 'agreement')).toBeNull()
  })

  it('reads the agreement now when an answer that is found late says something else than the callbacks', async () => {
    const id = await begun()
    await store.inbox.receiveAgreement(callback(agreementReport('active')))
    const said = agreementReport('suspended', { limit: '50.00' })
    const agreement = await record(id, said, after(-MINUTE))
    expect(agreement).toMatchObject({ status: 'active', limit: '100.00', version: 1 })
    expect(await nextDue(store, 'agreement')).toEqual(after(-MINUTE))
  })

  it('lets the answer lead out of created', async () => {
    const id = await begun()
    await store.inbox.receiveAgreement(callback(agreementReport('created')))
    await record(id, agreementReport('active'))
    expect((await events(store)).at(-1)).toMatchObject({
      kind: 'AGREEMENT_STATUS_CHANGED',
      source: 'COMMAND',
      fromStatus: 'created',
      toStatus: 'active',
    })
  })

  it('finds the agreement of a command whose answer never came, under any of its correlation ids', async () => {
    const id = await begun()
    await store.commands.markUnknown(id)
    expect(await store.commands.traceAgreement('agr')).toBeNull()
    const attempt = { ref: 'agr2', owner: 'process-1', leaseUntil: NOW.getTime(), sentAt: NOW.getTime() }
    await store.commands.retry(id, attempt)
    await store.inbox.receiveAgreement(callback(agreementReport('created'), { ref: 'agr' }))

    const found = await store.commands.traceAgreement('agr2')
    expect(found).toEqual(await agreementOf(store))
    expect(await store.commands.traceAgreement('unheard')).toBeNull()
    const settled = { ref: 'agr2', site: 'au' }
    const agreement = await store.commands.settleWithAgreement(id, {
      ...settled,
      report: agreementReport('created'),
      at: NOW,
    })
    expect(agreement).toMatchObject({ ref: 'agr', version: 1 })
  })

  it('refuses what belongs to something else already', async () => {
    await settledAgreement(store)
    const { command: second } = await store.commands.begin(agreementCommand('b', { key: 'client-2' }))
    const settle = (said: ReturnType<typeof agreementReport>, ref = 'b') =>
      store.commands.settleWithAgreement(second.id, { ref, site: 'au', report: said, at: NOW })
    await expect(settle(agreementReport('created'))).rejects.toThrow('AGR1')
    await expect(settle(agreementReport('created', { id: 'AGR2' }))).rejects.toThrow(StoreConflictError)
    const anotherRef = agreementReport('created', { id: 'AGR2', clientTransactionId: 'client-2' })
    await expect(settle(anotherRef, 'agr')).rejects.toThrow(StoreConflictError)
    expect((await store.commands.find(commandKey('createPaymentAgreement', 'client-2')))?.state).toBe('SENT')
    expect((await settle(anotherRef)).id).toBe('AGR2')
  })

  /** Begins a command about an agreement, sent a minute after `NOW`; `settle` records its answer a minute later. */
  async function change(ref: string, said: ReturnType<typeof agreementReport>, agreementId = 'AGR1') {
    const sentAt = after(MINUTE).getTime()
    const names = { mutation: 'changePaymentAgreementStatus', refKind: null, subject: { agreementId } } as const
    const asked = command(ref, { ...names, sentAt })
    const { command: sent } = await store.commands.begin(asked)
    return {
      id: sent.id,
      settle: () =>
        store.commands.settleWithAgreementChange(sent.id, { agreementId, report: said, at: after(2 * MINUTE) }),
    }
  }

  it('records an amendment and a change of status as events of the command', async () => {
    await settledAgreement(store)
    const amendment = await change('c1', agreementReport('created', { limit: '250', payer }))
    expect(await amendment.settle()).toMatchObject({ limit: '250', version: 2, provisional: false })
    const asked = command('c2', {
      mutation: 'changePaymentAgreementStatus',
      refKind: null,
      sentAt: after(3 * MINUTE).getTime(),
      subject: { agreementId: 'AGR1' },
    })
    const { id } = (await store.commands.begin(asked)).command
    const said = agreementReport('cancelled', { limit: '250.00' })
    const settle = () =>
      store.commands.settleWithAgreementChange(id, { agreementId: 'AGR1', report: said, at: after(4 * MINUTE) })
    const changed = await settle()
    expect(changed).toMatchObject({ status: 'cancelled', provisional: false })
    expect(await settle()).toEqual(changed)

    expect((await events(store)).map(({ kind, source, toStatus }) => [kind, source, toStatus])).toEqual([
      ['AGREEMENT_CREATED', 'COMMAND', 'created'],
      ['AGREEMENT_AMENDED', 'COMMAND', 'created'],
      ['AGREEMENT_STATUS_CHANGED', 'COMMAND', 'cancelled'],
    ])
    expect((await store.agreements.payers(['AGR1'])).get('AGR1')).toEqual(payer)
    expect(await store.commands.find(commandKey('changePaymentAgreementStatus', 'key-c2'))).toMatchObject({
      id,
      state: 'SETTLED',
      result: { agreementId: 'AGR1' },
    })
    expect(await nextDue(store, 'agreement')).toBeNull()
  })

  it('shows what a change answered although a callback has overtaken it, and reads the agreement now', async () => {
    await settledAgreement(store)
    const { settle } = await change('c', agreementReport('active', { limit: '250' }))
    // Of a node whose clock is behind.
    await store.inbox.receiveAgreement(callback(agreementReport('active'), { receivedAt: after(-60 * MINUTE) }))
    expect(await settle()).toMatchObject({ limit: '250', status: 'active', provisional: true })
    expect(await nextDue(store, 'agreement')).toEqual(after(2 * MINUTE))
  })

  it('reads the agreement now when the answer to a change tells nothing of it', async () => {
    await settledAgreement(store, 'agr', { clientTransactionId: 'client-1' })
    const wrong = await change('c1', agreementReport('active', { id: 'AGR9' }))
    expect(await wrong.settle()).toMatchObject({ status: 'created', version: 1 })
    expect(await nextDue(store, 'agreement')).toEqual(after(2 * MINUTE))
    const unheard = await change('c2', agreementReport('active', { id: 'NONE' }), 'NONE')
    await expect(unheard.settle()).rejects.toThrow(StoreConflictError)
  })

  it('finds agreements by id and by clientTransactionId', async () => {
    const { agreements } = store
    const first = await settledAgreement(store)
    const second = await settledAgreement(store, 'b', { id: 'AGR2', clientTransactionId: 'client-2' })
    expect(await agreements.byIds(['AGR2', 'NONE'])).toEqual([second])
    expect(await agreements.byClientTransactionIds(['client-1', 'NONE'])).toEqual([first])
    expect(await agreements.byIds([])).toEqual([])
    expect(await agreements.byClientTransactionIds([])).toEqual([])
    expect(await agreements.payers([])).toEqual(new Map())
    expect(await agreements.snapshot('AGR2')).toEqual({ agreement: second, head: 2 })
    expect(await agreements.snapshot('NONE')).toBeNull()
  })

  it('pages newest first, by status and by the time of creation', async () => {
    for (const n of [1, 2, 3, 4]) {
      const createdAt = n === 4 ? null : after(n * MINUTE).toISOString()
      await settledAgreement(store, `r${n}`, { id: `A${n}`, clientTransactionId: `c${n}`, createdAt })
    }
    const pageOf = async (filter: ListFilter) =>
      (await store.agreements.page({ limit: 9, before: null }, filter)).rows.map(({ row }) => row.id)
    const first = (await store.agreements.page({ limit: 2, before: null }, {})).rows
    await settledAgreement(store, 'r5', { id: 'A5', clientTransactionId: 'c5' })
    const second = (await store.agreements.page({ limit: 2, before: first[1] ?? null }, {})).rows
    expect([...first, ...second].map(({ row }) => row.id)).toEqual(['A4', 'A3', 'A2', 'A1'])

    await store.inbox.receiveAgreement(
      callback(agreementReport('active', { id: 'A2', clientTransactionId: 'c2' }), {
        ref: 'r2',
        receivedAt: after(8 * MINUTE),
      }),
    )
    await store.inbox.receiveAgreement(
      callback(agreementReport('quite_new', { id: 'A3', clientTransactionId: 'c3' }), {
        ref: 'r3',
        receivedAt: after(9 * MINUTE),
      }),
    )
    expect(await pageOf({ statuses: ['active'] })).toEqual(['A2'])
    expect(await pageOf({ statuses: ['created', 'active'] })).toEqual(['A5', 'A4', 'A2', 'A1'])
    expect(await pageOf({ statuses: [] })).toEqual([])
    // The payments API did not report when A4 was created: it was first reported here at `NOW`.
    expect(await pageOf({ createdFrom: after(2 * MINUTE) })).toEqual(['A3', 'A2'])
    expect(await pageOf({ createdBefore: after(MINUTE) })).toEqual(['A5', 'A4'])
    expect(await pageOf({ ids: ['A1', 'A2'], statuses: ['active'] })).toEqual(['A2'])
    expect(await pageOf({ clientTransactionId: 'c4' })).toEqual(['A4'])
    expect(await pageOf({ site: 'nowhere' })).toEqual([])
    const changed = await store.agreements.page({ limit: 2, before: null, order: 'UPDATED' }, {})
    expect(changed.rows.map(({ row }) => row.id)).toEqual(['A3', 'A2'])
    const filter = { createdFrom: after(0) }
    const newest = (await store.agreements.page({ limit: 2, before: null }, filter)).rows
    const others = (await store.agreements.page({ limit: 9, before: present(newest[1]) }, filter)).rows
    expect([...newest, ...others].map(({ row }) => row.id)).toEqual(['A3', 'A2', 'A1', 'A5', 'A4'])
    expect(await pageOf({ ...filter, statuses: ['created'] })).toEqual(['A1', 'A5', 'A4'])
  })

  it('keeps the events of agreements apart in the log', async () => {
    await settledAgreement(store)
    await store.inbox.receive(delivery(report('pending')))
    await store.inbox.receiveAgreement(callback(agreementReport('active')))
    const ids = async (filter: Parameters<typeof store.log.read>[2]) =>
      (await store.log.read(0, 9, filter)).events.map(({ id }) => id)
    expect(await ids({ agreementIds: ['AGR1'] })).toEqual(['agreement:agr.1', 'agreement:agr.2'])
    expect(await ids({ agreementIds: ['AGR1'], kinds: ['AGREEMENT_STATUS_CHANGED'] })).toEqual(['agreement:agr.2'])
    expect(await ids({ agreementIds: ['AGR1'], paymentIds: ['PAY1'] })).toEqual([])
    expect(await ids({ agreementIds: [] })).toEqual([])
    expect((await store.log.byIds(['agreement:agr.2']))[0]?.agreement).toEqual(await agreementOf(store))
  })
}
