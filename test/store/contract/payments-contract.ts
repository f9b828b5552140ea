import { expect, it } from 'vitest'
import type { ListFilter } from '../../../src/domain/list-filter.ts'
import type { PaymentDetails } from '../../../src/domain/payments/payment-report.ts'
import type { ListOrder, PageCursor } from '../../../src/store/port.ts'
import { after, delivery, MINUTE, pagedIds, paymentOf, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function paymentsContract({ store }: Fixture): void {
  async function pageOf(filter: ListFilter): Promise<string[]> {
    const page = (await store.payments.page({ limit: 100, before: null }, filter)).rows
    return page.map(({ row }) => row.id)
  }

  async function receive(
    paymentId: string,
    status: string,
    minutes = 0,
    details: (Partial<PaymentDetails> & { readonly ref?: string }) | string | null = null,
  ): Promise<void> {
    const { ref = null, ...rest } = typeof details === 'string' ? { reference: details } : (details ?? {})
    const said = report(status, { paymentId, details: { reference: null, ...rest } })
    await store.inbox.receive(delivery(said, { receivedAt: after(minutes * MINUTE), ref }))
  }

  it('gives plain objects that hold what the reports said', async () => {
    const instructions = { bsb: '000-000', nested: [{ step: 1 }] }
    const card = { brand: 'visa', type: 'credit', last4: '4242', countryCode: 'AU' }
    await store.inbox.receive(delivery(report('pending', { details: { instructions, card, refundable: false } })))
    const payment = await paymentOf(store)
    expect(payment.details).toMatchObject({ instructions, card, refundable: false, amount: '10.00', total: null })
    expect(Object.getPrototypeOf(payment)).toBe(Object.prototype)
    expect(await store.payments.byIds(['NONE'])).toEqual([])
    expect(await store.payments.byIds([])).toEqual([])
    expect(await store.payments.payers([])).toEqual(new Map())
  })

  it('pages newest first, without a repeat or a hole while payments are added', async () => {
    for (const n of [1, 2, 3, 4]) await receive(`P${n}`, 'pending')
    const first = (await store.payments.page({ limit: 2, before: null }, {})).rows
    await receive('P5', 'pending')
    await receive('P1', 'received')
    const second = (await store.payments.page({ limit: 2, before: first[1] ?? null }, {})).rows
    expect([...first, ...second].map(({ row }) => row.id)).toEqual(['P4', 'P3', 'P2', 'P1'])
  })

  it('filters by phase and by the time of the last change', async () => {
    await receive('P1', 'pending', 0)
    await receive('P2', 'received', 1)
    await receive('P3', 'failed', 2)
    await receive('P1', 'received', 3)
    expect(await pageOf({ phases: ['SUCCEEDED'] })).toEqual(['P2', 'P1'])
    expect(await pageOf({ updatedFrom: after(2 * MINUTE) })).toEqual(['P1', 'P3'])
    expect(await pageOf({ updatedFrom: after(MINUTE), updatedBefore: after(3 * MINUTE) })).toEqual(['P3', 'P2'])
    expect(await pageOf({ updatedFrom: after(MINUTE), phases: ['SUCCEEDED', 'SUCCEEDED'] })).toEqual(['P1', 'P2'])
    expect(await pageOf({ phases: [] })).toEqual([])
  })

  it.each<[ListFilter, readonly string[]]>([
    [{ ids: ['P1', 'P4', 'NONE'] }, ['P4', 'P1']],
    [{ ids: ['P1', 'P2'], phases: ['FAILED'] }, ['P2']],
    [{ ids: [] }, []],
    [{ ownerId: 'customer-7' }, ['P4', 'P3']],
    [{ ownerId: 'customer-7', currency: 'JPY' }, ['P4']],
    [{ ownerId: 'customer-7', phases: ['IN_PROGRESS'] }, ['P3']],
    [{ ownerId: 'customer' }, []],
    [{ methodCode: 'au_card_aud' }, ['P3', 'P1']],
    [{ methodCode: 'jp_bank_jpy' }, ['P4']],
    [{ site: 'jp' }, ['P4']],
    [{ statuses: ['failed', 'unrecognised'] }, ['P5', 'P2']],
    [{ cardLast4: '4242' }, ['P1']],
    [{ amount: { currency: 'AUD', min: '9.99', max: '10' } }, ['P5', 'P3', 'P2']],
    [{ amount: { currency: 'AUD', min: '100' } }, ['P1']],
    [{ amount: { currency: 'JPY', max: '99999' } }, ['P4']],
    [{ createdFrom: after(MINUTE), createdBefore: after(4 * MINUTE) }, ['P4', 'P3', 'P2']],
    [{ createdFrom: after(MINUTE), updatedBefore: after(9 * MINUTE) }, ['P5', 'P4', 'P3']],
  ])('lists and counts those of %j', async (filter, ids) => {
    const card = { brand: 'visa', type: null, last4: '4242', countryCode: null }
    await receive('P1', 'received', 0, { amount: '100.00', card, methodRaw: 'au_card_aud' })
    await receive('P2', 'pending', 1)
    await settledLink(store, 'a', { ownerId: 'customer-7', methodCode: 'au_card_aud' })
    await receive('P3', 'pending', 2, { methodRaw: 'card', ref: 'a' })
    const yen = { amount: '10000', currency: 'JPY', ref: 'b' }
    // The payment is reported before its link is recorded.
    await receive('P4', 'received', 3, yen)
    const ofLink = { ownerId: 'customer-7', site: 'jp', methodCode: 'jp_bank_jpy', reference: 'order-b' }
    await settledLink(store, 'b', { ...ofLink, requestedAmount: { value: '10000', currency: 'JPY' } })
    await receive('P5', 'quite_new', 4)
    await receive('P2', 'failed', 9)
    expect(await pageOf(filter)).toEqual(ids)
    expect(await store.payments.count(filter)).toBe(ids.length)
  })

  it('orders by creation or last change what is asked for in either order, also the rows that few conditions meet', async () => {
    const { payments } = store
    for (const n of [1, 2, 3]) await receive(`P${n}`, 'pending', n, 'order-7')
    await receive('P1', 'received', 7, 'order-7')
    const page = async (order: ListOrder, filter: ListFilter, before: PageCursor | null = null) =>
      payments.page({ limit: 2, before, order }, filter)
    for (const filter of [{}, { reference: 'order-7' }, { ids: ['P1', 'P2', 'P3'] }, { createdFrom: after(0) }]) {
      for (const [order, ids] of [
        ['CREATED', ['P3', 'P2', 'P1']],
        ['UPDATED', ['P1', 'P3', 'P2']],
      ] as const) {
        const first = await page(order, filter)
        const second = await page(order, filter, first.next)
        expect([...first.rows, ...second.rows].map(({ row }) => row.id)).toEqual(ids)
        expect(second.next).toBeNull()
        const other = order === 'CREATED' ? 'UPDATED' : 'CREATED'
        await expect(page(other, filter, first.next)).rejects.toThrow(RangeError)
      }
    }
  })

  it('finds a payment by the reference of a link that was recorded after it, also beside a change', async () => {
    await receive('P1', 'pending', 0, 'own')
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2' }), { ref: 'a' }))
    await settledLink(store, 'a', { reference: 'order-1' })
    expect(await pageOf({ reference: 'order-1' })).toEqual(['P2'])
    await store.inbox.receive(
      delivery(report('received', { paymentId: 'P2', details: { reference: 'own' } }), { ref: 'a' }),
    )
    expect(await pageOf({ reference: 'order-1', phases: ['SUCCEEDED'] })).toEqual(['P2'])
    expect(await pageOf({ reference: 'own' })).toEqual(['P2', 'P1'])
    await store.inbox.receive(
      delivery(report('return_pending', { paymentId: 'P2', details: { reference: 'order-1' } }), { ref: 'a' }),
    )
    expect(await pageOf({ reference: 'order-1' })).toEqual(['P2'])
    expect(await pageOf({ reference: 'own' })).toEqual(['P1'])
  })

  it('finds every payment with a reference, whether it is the first one, has it in another case, or got it later', async () => {
    const reference = 'Order-7'
    await receive('P1', 'pending', 0, reference)
    await receive('P2', 'received', 1, reference)
    await receive('P3', 'pending', 2, 'ORDER-7')
    await receive('P4', 'pending', 3, 'order-8')
    await receive('P5', 'pending', 4)
    expect(await pageOf({ reference })).toEqual(['P2', 'P1'])
    expect(await pageOf({ reference: 'ORDER-7' })).toEqual(['P3'])
    expect(await pageOf({ reference: 'order-7' })).toEqual([])
    await receive('P4', 'received', 5, reference)
    await receive('P5', 'received', 6, reference)
    await receive('P1', 'received', 7, 'order-8')
    expect(await pageOf({ reference })).toEqual(['P5', 'P4', 'P2'])
    expect(await pageOf({ reference, phases: ['SUCCEEDED'], updatedFrom: after(5 * MINUTE) })).toEqual(['P5', 'P4'])
    expect(await pageOf({ reference: 'order-8' })).toEqual(['P1'])
    await receive('P6', 'pending', 8, 'order-8')
    expect(await pageOf({ reference: 'order-8', phases: ['IN_PROGRESS'] })).toEqual(['P6'])
  })

  it('pages through the payments of a reference, of which some were stored at once', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `P${n}`)
    await Promise.all(ids.map((id, n) => receive(id, n % 2 === 0 ? 'pending' : 'received', n, 'donation')))
    const seen = await pagedIds((query) => store.payments.page(query, { reference: 'donation' }), 5)
    expect(seen).toHaveLength(ids.length)
    expect(new Set(seen)).toEqual(new Set(ids))
  })

  it('lists only payments whose amount is known', async () => {
    await store.inbox.receive(delivery(report('pending', { details: { amount: null } })))
    expect(await pageOf({})).toEqual([])
    await store.inbox.receive(delivery(report('authorised')))
    expect(await pageOf({})).toEqual(['PAY1'])
  })

  it('shows a payment, its link and the head of the log', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P1' }), { ref: 'a' }))
    await receive('P2', 'pending')
    expect(await store.payments.snapshot('P1')).toMatchObject({ payment: { id: 'P1' }, link: { ref: 'a' }, head: 3 })
    expect(await store.payments.snapshot('P2')).toMatchObject({ payment: { id: 'P2' }, link: null, head: 3 })
    expect(await store.payments.snapshot('NONE')).toBeNull()
  })
}
