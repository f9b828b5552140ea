import { expect, it } from 'vitest'
import type { LinkFilter } from '../../../src/store/store.ts'
import { after, delivery, MINUTE, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function linksContract(fixture: Fixture): void {
  async function pageOf(filter: LinkFilter): Promise<string[]> {
    const page = await fixture.store.links.page({ limit: 100, before: null }, filter)
    return page.map(({ row }) => row.ref)
  }

  it('finds links by uuid and by correlator', async () => {
    const a = await settledLink(fixture.store, 'a')
    const b = await settledLink(fixture.store, 'b')
    const { links } = fixture.store
    expect(await links.byIds([b.id, 'NONE'])).toEqual([b])
    expect(await links.byRefs(['a'])).toEqual([a])
    expect(await links.byIds([])).toEqual([])
    expect(await links.byRefs([])).toEqual([])
  })

  it('pages newest first, without a repeat or a hole while links are added', async () => {
    const { store } = fixture
    for (const ref of ['a', 'b', 'c', 'd', 'e']) await settledLink(store, ref)
    const seen: string[] = []
    let before: number | null = null
    for (let round = 0; round < 3; round += 1) {
      const page = await store.links.page({ limit: 2, before }, {})
      seen.push(...page.map(({ row }) => row.ref))
      before = page.at(-1)?.number ?? null
      await settledLink(store, `late-${round}`)
    }
    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a'])
  })

  it('filters by reference and by the time of creation', async () => {
    await settledLink(fixture.store, 'a', { reference: 'order' })
    await settledLink(fixture.store, 'b', { reference: 'order', createdAt: after(MINUTE).toISOString() })
    await settledLink(fixture.store, 'c', { createdAt: after(2 * MINUTE).toISOString() })
    expect(await pageOf({ reference: 'order' })).toEqual(['b', 'a'])
    expect(await pageOf({ createdFrom: after(MINUTE) })).toEqual(['c', 'b'])
    expect(await pageOf({ createdFrom: after(MINUTE), createdBefore: after(2 * MINUTE) })).toEqual(['b'])
  })

  it('filters by the phase of the payment that speaks for the link', async () => {
    const { store } = fixture
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

  it('shows a link, its payment and the head of the log', async () => {
    const { store } = fixture
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
