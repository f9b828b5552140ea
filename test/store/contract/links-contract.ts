import { array, assert, asyncProperty, constantFrom, nat, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import type { ListFilter } from '../../../src/domain/list-filter.ts'
import { PAID_RANK, PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import { holdsMoney } from '../../../src/domain/payments/payment.ts'
import { newSeed } from '../../faults/random.ts'
import { after, delivery, MINUTE, present, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function linksContract(fixture: Fixture): void {
  const { store } = fixture
  async function pageOf(filter: ListFilter): Promise<string[]> {
    const page = (await store.links.page({ limit: 100, before: null }, filter)).rows
    return page.map(({ row }) => row.ref)
  }

  it('finds links by uuid and by correlation id', async () => {
    const a = await settledLink(store, 'a')
    const b = await settledLink(store, 'b')
    const { links } = store
    expect(await links.byIds([b.id, 'NONE'])).toEqual([b])
    expect(await links.byRefs(['a'])).toEqual([a])
    expect(await links.byIds([])).toEqual([])
    expect(await links.byRefs([])).toEqual([])
  })

  it('finds every payment through a link, oldest first, at most 20', async () => {
    await settledLink(store, 'a')
    const ids = Array.from({ length: 21 }, (_, index) => `P${index}`)
    for (const [index, paymentId] of ids.entries())
      await store.inbox.receive(delivery(report(index === 0 ? 'failed' : 'pending', { paymentId }), { ref: 'a' }))
    const found = await store.payments.ofLinks(['a', 'none'])
    expect(
      found
        .get('a')
        ?.map(({ id, statusRaw }) => `${id} ${statusRaw}`)
        .slice(0, 2),
    ).toEqual(['P0 failed', 'P1 pending'])
    expect(found.get('a')?.map(({ id }) => id)).toEqual(ids.slice(0, 20))
    expect(found.get('none')).toEqual([])
  })

  it('filters by reference and by the time of creation', async () => {
    await settledLink(store, 'a', { reference: 'order' })
    await settledLink(store, 'b', { reference: 'order', createdAt: after(MINUTE).toISOString() })
    await settledLink(store, 'c', { createdAt: after(2 * MINUTE).toISOString() })
    expect(await pageOf({ reference: 'order' })).toEqual(['b', 'a'])
    expect(await pageOf({ createdFrom: after(MINUTE) })).toEqual(['c', 'b'])
    expect(await pageOf({ createdFrom: after(MINUTE), createdBefore: after(2 * MINUTE) })).toEqual(['b'])
    const requestedAmount = { value: '500', currency: 'JPY' }
    await settledLink(fixture.store, 'd', {
      ownerId: 'customer-7',
      site: 'jp',
      methodCode: 'jp_bank_jpy',
      requestedAmount,
    })
    for (const filter of [
      { ids: ['LINK-d', 'NONE'] },
      { ownerId: 'customer-7' },
      { site: 'jp' },
      { methodCode: 'jp_bank_jpy' },
      { currency: 'JPY' },
      { amount: { currency: 'JPY', min: '500', max: '500' } },
    ]) {
      expect({ filter, found: await pageOf(filter) }).toEqual({ filter, found: ['d'] })
      expect(await fixture.store.links.count(filter)).toBe(1)
    }
  })

  it('lists by the time of creation what is asked for by it, and refuses a place of the other order', async () => {
    const { links } = store
    for (const [ref, minute] of Object.entries({ a: 3, b: 1, c: 2, d: 2 }))
      await settledLink(store, ref, { createdAt: after(minute * MINUTE).toISOString() })
    const filter = { createdFrom: after(MINUTE) }
    const first = (await links.page({ limit: 2, before: null }, filter)).rows
    await settledLink(store, 'late', { createdAt: after(2 * MINUTE).toISOString() })
    const second = (await links.page({ limit: 9, before: present(first[1]) }, filter)).rows
    expect([...first, ...second].map(({ row }) => row.ref)).toEqual(['a', 'd', 'c', 'b'])
    expect(await pageOf({ createdBefore: after(2 * MINUTE), reference: 'order-b' })).toEqual(['b'])

    const byNumber = (await links.page({ limit: 1, before: null }, {})).rows
    await expect(links.page({ limit: 9, before: present(byNumber[0]) }, filter)).rejects.toThrow(RangeError)
    await expect(links.page({ limit: 9, before: present(first[0]) }, {})).rejects.toThrow(RangeError)
  })

  it('finds links that are over, whether or not the payments API has said so', async () => {
    const soon = { expiresAt: after(MINUTE).toISOString(), reference: 'order' }
    for (const ref of ['a', 'b', 'c']) await settledLink(store, ref, soon)
    await settledLink(store, 'd', { reference: 'order' })
    await store.reads.record(
      present(await store.reads.subject('LINK-b')),
      report('expired', { paymentId: 'LINK-b' }),
      after(MINUTE),
      null,
    )
    fixture.now = after(MINUTE)
    expect(await pageOf({ phases: ['EXPIRED'] })).toEqual(['c', 'b', 'a'])
    expect(await pageOf({ phases: ['EXPIRED'], reference: 'order' })).toEqual(['c', 'b', 'a'])
    expect(await pageOf({ phases: ['EXPIRED'], createdFrom: after(0) })).toEqual(['c', 'b', 'a'])
    expect(await pageOf({ phases: ['EXPIRED'], reference: 'other' })).toEqual([])
    expect(await pageOf({ phases: ['IN_PROGRESS', 'EXPIRED'], reference: 'order' })).toEqual(['d', 'c', 'b', 'a'])
    const [newest] = (await store.links.page({ limit: 1, before: null }, { phases: ['EXPIRED'] })).rows
    const rest = (await store.links.page({ limit: 1, before: present(newest) }, { phases: ['EXPIRED'] })).rows
    expect(rest.map(({ row }) => row.ref)).toEqual(['b'])
  })

  it('filters by the phase of the payment that speaks for the link', async () => {
    await settledLink(store, 'untouched')
    await settledLink(store, 'over', { expiresAt: after(MINUTE).toISOString() })
    const statuses = { paid: 'received', tried: 'failed', lapsed: 'expired', started: 'pending' }
    for (const [ref, status] of Object.entries(statuses)) {
      await settledLink(store, ref, { expiresAt: after(MINUTE).toISOString() })
      await store.inbox.receive(delivery(report(status, { paymentId: `P-${ref}` }), { ref }))
    }
    expect(await pageOf({ phases: ['IN_PROGRESS'] })).toEqual(['started', 'over', 'untouched'])
    fixture.now = after(MINUTE)
    expect(await pageOf({ phases: ['IN_PROGRESS'] })).toEqual(['started', 'untouched'])
    expect(await pageOf({ phases: ['EXPIRED'] })).toEqual(['lapsed', 'over'])
    expect(await pageOf({ phases: ['SUCCEEDED', 'FAILED'] })).toEqual(['tried', 'paid'])
    expect(await pageOf({ phases: ['IN_PROGRESS'], reference: 'order-started' })).toEqual(['started'])
    expect(await pageOf({ phases: [] })).toEqual([])
  })

  it('is never spoken for by an attempt that has ended while another is under way or paid', async () => {
    let ref = ''
    const told = array(tuple(nat(2), constantFrom(...PAYMENT_STATUSES, 'quite_new')), { minLength: 2, maxLength: 8 })
    const histories = asyncProperty(told, async (steps) => {
      ref += 'r'
      await settledLink(store, ref)
      for (const [attempt, status] of steps)
        await store.inbox.receive(delivery(report(status, { paymentId: `${ref}-${attempt}` }), { ref }))
      const attempts = await store.payments.byIds([0, 1, 2].map((attempt) => `${ref}-${attempt}`))
      const standings = [
        attempts.filter(holdsMoney),
        attempts.filter(({ rank }) => rank >= PAID_RANK),
        ...['waiting', 'authorised', 'pending'].map((underWay) => attempts.filter(({ status }) => status === underWay)),
        attempts.filter(({ status, phase }) => status === null && phase === 'IN_PROGRESS'),
        attempts,
      ]
      const furthest = present(standings.find((alike) => alike.length > 0))
      const shown = present((await store.links.snapshot(`LINK-${ref}`))?.payment)
      expect(furthest).toContainEqual(shown)
      const found = (await store.links.page({ limit: 1, before: null }, { phases: [shown.phase] })).rows
      expect(found.map(({ row }) => row.ref)).toEqual([ref])
    })
    await assert(histories, { seed: newSeed(), numRuns: 5 * fixture.histories })
  })

  it('shows a link, its payment and the head of the log', async () => {
    const made = await settledLink(store, 'a')
    expect(await store.links.snapshot(made.id)).toEqual({ link: made, payment: null, head: 1 })
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    expect(await store.links.snapshot(made.id)).toMatchObject({
      link: { ...made, paymentId: 'PAY1' },
      payment: { id: 'PAY1', statusRaw: 'pending' },
      head: 2,
    })
    expect(await store.links.snapshot('NONE')).toBeNull()
  })
}
