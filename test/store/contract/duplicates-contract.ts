import { expect, it } from 'vitest'
import { holdsMoney } from '../../../src/domain/payments/payment.ts'
import { seeded } from '../../faults/seed.ts'
import { after, command, delivery, events, MINUTE, NOW, payin, paymentOf, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const STATUSES = [
  'received',
  'received',
  'return_received',
  'failed',
  'partially_refunded',
  'dispute_lost',
  'quite_new',
]

export function duplicatesContract(fixture: Fixture): void {
  const { store } = fixture
  const order = { reference: 'order-7', ownerId: 'ada' }

  async function receive(paymentId: string, status: string, ref: string | null, bytes = ''): Promise<void> {
    await store.inbox.receive(delivery(report(status, { paymentId }), { ref, bytes, receivedAt: after(MINUTE) }))
  }
  async function twoLinks(): Promise<void> {
    await settledLink(store, 'a', order)
    await settledLink(store, 'b', order)
  }
  const duplicateOf = async (id: string) => (await store.payments.duplicates([id])).get(id) ?? null
  const kinds = async () => (await events(store)).map(({ kind, payment }) => `${payment?.id ?? '-'} ${kind}`)
  const open = async () =>
    (await store.payments.page({ limit: 50, before: null }, { duplicate: true })).rows.map(({ row }) => row.id)

  it('are found when a second payment of one reference is paid, with an event of its own', async () => {
    await twoLinks()
    await receive('P1', 'received', 'a')
    await receive('P2', 'pending', 'b')
    expect(await duplicateOf('P2')).toBeNull()
    await receive('P2', 'received', 'b')

    expect(await duplicateOf('P2')).toEqual({
      paymentId: 'P2',
      otherId: 'P1',
      reason: 'SAME_REFERENCE',
      foundAt: after(MINUTE).toISOString(),
      resolvedAt: null,
      resolution: null,
    })
    expect(await duplicateOf('P1')).toBeNull()
    expect((await kinds()).slice(-2)).toEqual(['P2 PAYMENT_STATUS_CHANGED', 'P2 DUPLICATE_PAYMENT_FOUND'])
    const [last] = (await events(store)).slice(-1)
    expect(last).toMatchObject({ source: 'WEBHOOK', toStatus: 'received', payment: { version: last?.sequence } })
    expect((await paymentOf(store, 'P2'))?.version).toBe(last?.sequence)
    expect(await open()).toEqual(['P2'])
    const { payments } = store
    const others = (await payments.page({ limit: 9, before: null }, { duplicate: false })).rows
    expect(others.map(({ row }) => row.id)).toEqual(['P1'])
    expect(
      (await payments.page({ limit: 9, before: null }, { duplicate: true, reference: 'order-7' })).rows,
    ).toHaveLength(1)
    expect((await payments.page({ limit: 9, before: null }, { duplicate: true, reference: 'order-8' })).rows).toEqual(
      [],
    )
    expect((await payments.page({ limit: 9, before: null }, { duplicate: true, phases: ['FAILED'] })).rows).toEqual([])
  })

  it('are found among two payments of one link, and between a link and a direct payin', async () => {
    await settledLink(store, 'a', { ...order, ownerId: null })
    await receive('P1', 'received', 'a')
    await receive('P2', 'received', 'a')
    expect(await duplicateOf('P2')).toMatchObject({ otherId: 'P1' })

    const { command: begun } = await store.commands.begin(command('p', { mutation: 'createPayin', refKind: 'payin' }))
    await receive('P3', 'received', 'p')
    expect(await duplicateOf('P3')).toBeNull()
    const made = payin('p', { paymentId: 'P3', reference: 'order-7' })
    await store.commands.settleWithPayin(begun.id, {
      payin: made,
      report: report('pending', { paymentId: 'P3' }),
      at: NOW,
    })
    expect(await duplicateOf('P3')).toMatchObject({ otherId: 'P1' })
  })

  it('are found when the link of a paid payment is recorded after it', async () => {
    await settledLink(store, 'a', order)
    await receive('P1', 'received', 'a')
    await store.commands.begin(command('b'))
    await receive('P2', 'received', 'b')
    expect(await duplicateOf('P2')).toBeNull()
    await settledLink(store, 'b', order)
    expect(await duplicateOf('P2')).toMatchObject({ otherId: 'P1' })
  })

  it('are none with another reference, owner or site, and none when the first payment was refunded', async () => {
    await settledLink(store, 'a', order)
    await settledLink(store, 'b', { ...order, reference: 'order-8' })
    await settledLink(store, 'c', { ...order, ownerId: 'eve' })
    await settledLink(store, 'd', { ...order, site: 'nz' })
    for (const ref of ['a', 'b', 'c', 'd']) await receive(`P-${ref}`, 'received', ref)
    await receive('P-a', 'return_received', 'a')
    await settledLink(store, 'e', order)
    await receive('P-e', 'received', 'e')
    expect(await open()).toEqual([])
  })

  it('is a late payment of an expired link', async () => {
    await settledLink(store, 'a', order)
    await receive('P1', 'expired', 'a')
    await receive('P1', 'received', 'a')
    expect(await duplicateOf('P1')).toMatchObject({ reason: 'EXPIRED_LINK', otherId: null })
    await receive('P1', 'return_received', 'a')
    expect(await duplicateOf('P1')).toMatchObject({ resolution: 'REFUNDED' })
    expect(await open()).toEqual([])
  })

  it('are settled by a refund of either payment, each with an event', async () => {
    await twoLinks()
    await receive('P1', 'received', 'a')
    await receive('P2', 'received', 'b')
    await receive('P1', 'return_received', 'a')
    expect(await duplicateOf('P2')).toMatchObject({ resolution: 'OTHER_REFUNDED', resolvedAt: expect.any(String) })
    expect((await kinds()).slice(-2)).toEqual(['P1 PAYMENT_STATUS_CHANGED', 'P2 DUPLICATE_PAYMENT_RESOLVED'])
    expect(await open()).toEqual([])

    await settledLink(store, 'c', order)
    await receive('P3', 'received', 'c')
    expect(await duplicateOf('P3')).toMatchObject({ otherId: 'P2', resolution: null })
    await receive('P3', 'partially_refunded', 'c')
    expect(await duplicateOf('P3')).toMatchObject({ resolution: null })
    await receive('P3', 'return_received', 'c')
    expect(await duplicateOf('P3')).toMatchObject({ resolution: 'REFUNDED' })
    expect((await kinds()).slice(-2)).toEqual(['P3 PAYMENT_STATUS_CHANGED', 'P3 DUPLICATE_PAYMENT_RESOLVED'])
  })

  it('are settled by an operator who keeps both; once', async () => {
    await twoLinks()
    await receive('P1', 'received', 'a')
    await receive('P2', 'received', 'b')
    const { commands } = store
    expect(await commands.dismissDuplicate('P1', NOW)).toBeNull()
    expect(await commands.dismissDuplicate('none', NOW)).toBeNull()
    const kept = await commands.dismissDuplicate('P2', after(2 * MINUTE))
    expect(await commands.dismissDuplicate('P2', after(3 * MINUTE))).toEqual(kept)
    expect(await duplicateOf('P2')).toMatchObject({
      resolution: 'DISMISSED',
      resolvedAt: after(2 * MINUTE).toISOString(),
    })
    expect((await kinds()).filter((kind) => kind.endsWith('RESOLVED'))).toEqual(['P2 DUPLICATE_PAYMENT_RESOLVED'])
    expect(await open()).toEqual([])
  })

  it('are found again when their money comes back after a lost dispute, unless an operator keeps both', async () => {
    await twoLinks()
    await receive('P1', 'received', 'a')
    await receive('P2', 'received', 'b')
    await receive('P2', 'dispute_lost', 'b')
    expect(await duplicateOf('P2')).toMatchObject({ resolution: 'REFUNDED' })
    await receive('P2', 'quite_new', 'b')
    expect(await duplicateOf('P2')).toMatchObject({ otherId: 'P1', resolvedAt: null })
    expect(await open()).toEqual(['P2'])

    await store.commands.dismissDuplicate('P2', NOW)
    await receive('P2', 'dispute_lost', 'b')
    await receive('P2', 'quite_new_too', 'b')
    expect(await duplicateOf('P2')).toMatchObject({ resolution: 'DISMISSED' })
    expect(await open()).toEqual([])
  })

  it('are none where several payments are expected', async () => {
    await twoLinks()
    await store.commands.expectSeveral({ ...order, site: 'au' }, NOW)
    for (const ref of ['a', 'b']) await receive(`P-${ref}`, 'received', ref)
    expect(await open()).toEqual([])
  })

  it('are not looked for among payments whose order was forgotten with the keys of old deliveries', async () => {
    await twoLinks()
    await receive('P1', 'received', 'a')
    const { retention } = store
    expect(await retention.purgeKeys(after(MINUTE))).toBe(0)
    expect(await retention.purgeKeys(after(2 * MINUTE))).toBe(1)
    await receive('P2', 'received', 'b')
    expect(await open()).toEqual([])
  })

  it('are looked for among the first payments of a reference that many customers share', async () => {
    await settledLink(store, 'a', order)
    for (let n = 0; n < 8; n += 1) await receive(`P${n}`, 'received', 'a')
    expect((await open()).length).toBe(7)
    expect(await duplicateOf('P7')).toMatchObject({ otherId: 'P0' })
  })

  it('are, in any history, all payments of an order that hold money but one', async () => {
    const random = seeded('histories of duplicates')
    for (let history = 0; history < fixture.histories; history += 1) {
      const refs = ['x', 'y', 'z'].map((name) => `${name}${history}`)
      for (const ref of refs) await settledLink(store, ref, { ...order, reference: `order-${history}` })
      for (let step = 0; step < 12; step += 1) {
        const ref = refs[random.between(0, 2)] ?? ''
        const status = STATUSES[random.between(0, STATUSES.length - 1)]
        await receive(`P-${ref}`, status ?? '', ref, String(step))
        const payments = await store.payments.byIds(refs.map((name) => `P-${name}`))
        const held = payments.filter((payment) => holdsMoney(payment)).length
        const found = await store.payments.duplicates(payments.map(({ id }) => id))
        const unresolved = [...found.values()].filter(({ resolvedAt }) => resolvedAt === null)
        expect(unresolved).toHaveLength(Math.max(0, held - 1))
        for (const { otherId } of unresolved) expect(payments.find(({ id }) => id === otherId)).toSatisfy(holdsMoney)
      }
    }
  })
}
