import { describe, expect, it } from 'vitest'
import type { GatewayPaymentReport } from '../../../src/domain/gateway/gateway-payment.ts'
import type { ListFilter } from '../../../src/domain/list-filter.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { gatewayCallback, REQUESTED } from '../../unit/domain/gateway-payments.ts'
import {
  after,
  command,
  commandKey,
  events,
  gatewayRequest,
  MINUTE,
  NOW,
  pagedIds,
  present,
  settledLink,
  settledPayout,
} from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function gatewayPaymentsContract({ store }: Fixture): void {
  async function begun(ref = 'gate', { site = 'au', reference = 'order-1' } = {}): Promise<string> {
    const requested = { ...REQUESTED, reference }
    const parts = { mutation: 'createGatewayPayment', refKind: 'gateway-payment', site, requested } as const
    return (await store.commands.begin(command(ref, parts))).command.id
  }

  /** Starts a gateway payment. Its result is that of the call. */
  async function started(ref = 'gate', { id: paymentId = '46345', reference = 'order-1', at = NOW } = {}) {
    const result = { paymentId, redirectUrl: 'https://gateway.test/pay' }
    const id = await begun(ref, { reference })
    await store.commands.settleWithGatewayPayment(id, { ref, result }, at)
    return { id, result }
  }

  const paymentOf = async (id = '46345') => present((await store.gatewayPayments.byIds([id]))[0])

  const receive = (report: GatewayPaymentReport | null, ref = 'gate') =>
    store.inbox.receiveGatewayPayment(gatewayRequest(report, { ref, bytes: ref }))

  it('records the payment, its event and the result of the command at once', async () => {
    const { result, id } = await started('gate', { at: after(MINUTE) })
    const payment = await paymentOf()
    expect(payment).toMatchObject({
      id: '46345',
      ref: 'gate',
      site: 'au',
      status: 'created',
      amount: '99.95',
      version: 1,
    })
    expect(await events(store)).toMatchObject([
      {
        id: 'gateway:46345.1',
        position: 1,
        kind: 'GATEWAY_PAYMENT_CREATED',
        source: 'COMMAND',
        fromStatus: null,
        toStatus: 'created',
        payment: null,
        payout: null,
        gatewayPayment: payment,
        recordedAt: after(MINUTE).toISOString(),
      },
    ])
    expect(await store.gatewayPayments.snapshot('46345')).toEqual({ gatewayPayment: payment, head: 1 })
    expect(await store.gatewayPayments.snapshot('NONE')).toBeNull()
    expect(await store.commands.find(commandKey('createGatewayPayment', 'key-gate'))).toMatchObject({
      state: 'SETTLED',
      result,
    })
    await store.commands.settleWithGatewayPayment(id, { ref: 'gate', result }, NOW)
    expect(await store.log.head()).toBe(1)
  })

  it('refuses another outcome, and a payment of another command', async () => {
    const { id } = await started()
    const other = { ref: 'gate', result: { paymentId: '2' } }
    const settled = store.commands.settleWithGatewayPayment(id, other, NOW)
    await expect(settled).rejects.toThrow(StoreConflictError)
    await expect(started('b')).rejects.toThrow('belongs to another command')
    expect(await store.log.head()).toBe(1)
  })

  it('is moved by its callbacks, and keeps nothing of their bodies', async () => {
    await started()
    for (const status of ['pending', 'received', 'authorised', 'in_dispute', 'return_pending'])
      await receive(gatewayCallback(status))
    expect(await paymentOf()).toMatchObject({
      status: 'in_dispute',
      provisional: true,
      contradictedBy: 'return_pending',
      version: 5,
    })
    const deliveries = (await store.inbox.page({ limit: 9, before: null }, { subjectIds: ['46345'] })).rows
    expect(deliveries.map(({ statusRaw, disposition, body }) => [statusRaw, disposition, body])).toEqual([
      ['return_pending', 'DOUBTFUL', null],
      ['in_dispute', 'APPLIED', null],
      ['authorised', 'STALE', null],
      ['received', 'APPLIED', null],
      ['pending', 'APPLIED', null],
    ])
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })
    expect(await receive(gatewayCallback('return_pending'))).toEqual({
      disposition: 'DOUBTFUL',
      repeat: true,
      readDue: false,
    })
  })

  it('creates the payment, as it was requested, from a callback that comes before the answer', async () => {
    const id = await begun('gate', { site: 'second' })
    expect(await receive(gatewayCallback('received', { reference: null }))).toMatchObject({ disposition: 'APPLIED' })
    const reported = await paymentOf()
    expect(reported).toMatchObject({ ...REQUESTED, site: 'second', status: 'received', provisional: false })
    const result = { paymentId: '46345', redirectUrl: 'https://gateway.test/pay' }
    await store.commands.settleWithGatewayPayment(id, { ref: 'gate', result }, NOW)
    expect(await paymentOf()).toEqual(reported)
    const settled = await store.commands.find(commandKey('createGatewayPayment', 'key-gate'))
    expect(settled).toMatchObject({ state: 'SETTLED', result })
  })

  it('quarantines what is unusable, and what is about another payment or order than that of its address', async () => {
    await started()
    await begun('other')
    const quarantined = { disposition: 'QUARANTINED' }
    expect(await receive(null)).toMatchObject(quarantined)
    expect(await receive(gatewayCallback('received', { id: '99' }))).toMatchObject(quarantined)
    expect(await receive(gatewayCallback('received'), 'other')).toMatchObject(quarantined)
    expect(await receive(gatewayCallback('received', { reference: 'order-2' }))).toMatchObject(quarantined)
    await settledLink(store, 'link')
    expect(await receive(gatewayCallback('received'), 'link')).toMatchObject(quarantined)
    expect(await paymentOf()).toMatchObject({ status: 'created', version: 1 })
  })

  it('is found in the log by its filters', async () => {
    const { log } = store
    await settledLink(store, 'a')
    await started()
    await settledPayout(store)
    await receive(gatewayCallback('pending'))
    await started('b', { id: '2' })
    const all = ['link:a.1', 'gateway:46345.1', 'payout:OUT1.1', 'gateway:46345.2', 'gateway:2.1']
    expect((await log.read(0, 9)).events.map(({ id }) => id)).toEqual(all)
    expect((await log.byIds(all)).map(({ id }) => id)).toEqual(all)
    const found = async (filter: Parameters<typeof log.read>[2]) =>
      (await log.read(0, 9, filter)).events.map(({ id }) => id)
    expect(await found({ gatewayPaymentIds: ['46345', 'NONE'] })).toEqual([all[1], all[3]])
    expect(await found({ streamIds: ['gateway:2', 'payout:OUT1', 'link:a'] })).toEqual([all[0], all[2], all[4]])
    expect(await found({ kinds: ['GATEWAY_PAYMENT_STATUS_CHANGED', 'PAYOUT_CREATED'] })).toEqual([all[2], all[3]])
    expect(await found({ gatewayPaymentIds: ['2'], payoutIds: ['OUT1'] })).toEqual([])
    expect(await found({ gatewayPaymentIds: ['2'], paymentIds: ['P1'] })).toEqual([])
    expect(await found({ payoutIds: ['OUT1'] })).toEqual([all[2]])
  })

  describe('in lists', () => {
    it.each<[ListFilter, readonly string[]]>([
      [{}, ['3', '2', '1', '0']],
      [{ statuses: ['created'] }, ['2', '0']],
      [{ statuses: ['received', 'created', 'created'] }, ['2', '1', '0']],
      [{ statuses: [] }, []],
      [{ reference: 'order-x' }, ['2', '1']],
      [{ reference: 'order-x', statuses: ['received'] }, ['1']],
      [{ createdFrom: after(MINUTE), createdBefore: after(3 * MINUTE) }, ['2', '1']],
      [{ createdFrom: after(2 * MINUTE), reference: 'order-x' }, ['2']],
    ])('are those of %j, newest first, on every page', async (filter, ids) => {
      for (const [n, reference] of ['order-0', 'order-x', 'order-x', 'order-3'].entries())
        await started(`r${n}`, { id: String(n), reference, at: after(n * MINUTE) })
      await receive(gatewayCallback('received', { id: '1', reference: null }), 'r1')
      await receive(gatewayCallback('quite_new', { id: '3', reference: null }), 'r3')
      const { gatewayPayments } = store
      expect((await gatewayPayments.page({ limit: 10, before: null }, filter)).rows.map(({ row }) => row.id)).toEqual(
        ids,
      )
      expect(await pagedIds((query) => gatewayPayments.page(query, filter))).toEqual(ids)
    })
  })
}
