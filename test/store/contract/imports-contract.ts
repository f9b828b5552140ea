import { expect, it } from 'vitest'
import type { CheckPlace } from '../../../src/domain/imports/import-plan.ts'
import type { ImportPart } from '../../../src/domain/imports/imported-lists.ts'
import { LeaseLostError } from '../../../src/store/store-errors.ts'
import {
  after,
  command,
  delivery,
  events,
  MINUTE,
  NOW,
  payin,
  paymentOf,
  present,
  report,
  settledLink,
  settledPayout,
} from './builders.ts'
import { found, importing, LINKS, PAYINS, received } from './import-builders.ts'
import type { Fixture } from './store-contract.ts'

/** Tests how imports record what they find. */
export function importsContract(fixture: Fixture): void {
  const { store } = fixture
  const { lease, begin, current, placeOf, record } = importing(fixture)

  it('records what is not on record, with an event, and moves on', async () => {
    const running = await begin([PAYINS])
    const said = received('P1', { payer: { name: 'Mary', email: 'mary@example.test' } })
    const first = await record(running, [found(said)], { totalPages: 2 })
    expect(first).toMatchObject({ listed: 1, added: 1, addedIds: ['P1'], equal: 0, differed: 0, passedOver: 0 })
    expect(await paymentOf(store, 'P1')).toMatchObject({ statusRaw: 'received', version: 1, linkRef: null })
    expect(await events(store)).toMatchObject([{ kind: 'PAYMENT_STATUS_CHANGED', source: 'READ' }])
    expect((await store.payments.payers(['P1'])).get('P1')).toEqual({
      name: 'Mary',
      email: 'mary@example.test',
    })
    expect(await current(running)).toMatchObject({ places: [{ kind: 'LIST', page: 2, pages: 2 }], doneAt: null })
    expect(await store.reads.subject('P1')).toMatchObject({ readSite: 'au' })
  })

  it('counts an entry once that several pages show', async () => {
    const running = await begin([PAYINS])
    await record(running, [found(received('P1'))], { totalPages: 3 })
    const report2 = await record(running, [found(received('P1')), found(received('P2'))], { totalPages: 3 })
    expect(report2).toMatchObject({ listed: 2, added: 2, equal: 0 })
    expect(await store.log.head()).toBe(2)
  })

  it('records a whole page of payments of different orders', async () => {
    const running = await begin([PAYINS])
    const page = Array.from({ length: 20 }, (_, index) =>
      found(received(`P${index}`, { details: { reference: `order-${index % 7}` } })),
    )
    expect(await record(running, page)).toMatchObject({ listed: 20, added: 20 })
    expect(await store.payments.byIds(page.map(({ report: { paymentId } }) => paymentId))).toHaveLength(20)
  })

  it('does nothing for a page at which the import is no more', async () => {
    const running = await begin([PAYINS])
    const place = await placeOf(running)
    await record(running, [found(received('P1'))], { totalPages: 2 })
    const late = { number: running.number, place, totalPages: 2, at: NOW }
    await store.imports.record({ ...late, found: { list: 'PAYINS', entries: [found(received('P9'))] } }, await lease())
    expect(await store.payments.byIds(['P9'])).toEqual([])
    expect((await current(running)).reports[0]?.listed).toBe(1)
  })

  it('records nothing without the lease', async () => {
    const running = await begin([PAYINS])
    const lost = await lease('a')
    await lease('b', 2 * MINUTE)
    await expect(record(running, [found(received('P1'))], { held: lost })).rejects.toThrow(LeaseLostError)
    const place = await placeOf(running)
    await expect(store.imports.giveUp(running.number, place, 'REFUSED', lost)).rejects.toThrow(LeaseLostError)
    expect(await current(running)).toEqual(running)
    expect(await store.payments.byIds(['P1'])).toEqual([])
  })

  it('confirms what is equal, and plans a read of what differs', async () => {
    await store.inbox.receive(delivery(received('P1'), { bytes: '1' }))
    await store.inbox.receive(delivery(report('authorised', { paymentId: 'P2' }), { bytes: '2' }))
    await store.inbox.receive(delivery(report('return_received', { paymentId: 'P3' }), { bytes: '3' }))
    const head = await store.log.head()
    const running = await begin([PAYINS])
    const told = await record(running, [
      found(received('P1')),
      found(received('P2')),
      found(report('return_received', { paymentId: 'P3' })),
    ])
    expect(told).toMatchObject({ listed: 3, equal: 2, differed: 1, differedIds: ['P2'], added: 0 })
    expect(await store.reads.subject('P2')).toMatchObject({ dueAt: after(MINUTE) })
    expect(await paymentOf(store, 'P2')).toMatchObject({ statusRaw: 'authorised' })
    expect(await store.log.head()).toBe(head)
  })

  it('only compares in a dry run', async () => {
    await store.inbox.receive(delivery(report('authorised', { paymentId: 'P2' })))
    const before = await store.reads.subject('P2')
    const running = await begin([PAYINS], { dryRun: true })
    const told = await record(running, [found(received('P1')), found(received('P2'))])
    expect(told).toMatchObject({ added: 1, addedIds: ['P1'], differed: 1, differedIds: ['P2'] })
    expect(await store.payments.byIds(['P1'])).toEqual([])
    expect(await store.reads.subject('P2')).toEqual(before)
    expect(await store.log.head()).toBe(1)
  })

  it('joins a payment that was missed with the link in its webhook URL', async () => {
    const made = await settledLink(store, 'a')
    const running = await begin([LINKS])
    const told = await record(running, [found(received('P1'), { ref: 'a', isLink: true })], { list: 'LINKS' })
    expect(told).toMatchObject({ added: 1, addedIds: ['P1'] })
    expect(await paymentOf(store, 'P1')).toMatchObject({ linkRef: 'a', streamId: made.streamId })
    expect(await store.links.byIds([made.id])).toMatchObject([{ paymentId: 'P1' }])
  })

  it('takes the uuid of an unused link for no payment, of a link of ours or of another one', async () => {
    const made = await settledLink(store, 'a')
    const running = await begin([LINKS])
    const unused = (paymentId: string) => found(report('pending', { paymentId }), { isLink: true })
    const told = await record(running, [unused(made.id), unused('ELSEWHERE')], { list: 'LINKS' })
    expect(told).toMatchObject({ listed: 2, equal: 1, passedOver: 1, added: 0 })
    expect(await store.payments.byIds([made.id, 'ELSEWHERE'])).toEqual([])
  })

  it('plans no read of a payment that cannot be read by itself', async () => {
    const running = await begin([LINKS])
    const named = report('waiting', { paymentId: 'P2', linkId: 'LINK-elsewhere' })
    const unnamed = report('waiting', { paymentId: 'P1' })
    await record(running, [found(unnamed, { isLink: true }), found(named, { isLink: true })], { list: 'LINKS' })
    expect(await store.reads.subject('P1')).toMatchObject({ dueAt: null })
    expect(await store.reads.subject('P2')).toMatchObject({ namedLinkId: 'LINK-elsewhere' })
    expect((await store.reads.subject('P2'))?.dueAt).not.toBeNull()
  })

  it('records what a list shows of a payment that cannot be read by itself', async () => {
    const shows = async (status: string) => {
      const running = await begin([LINKS], { plan: { from: 0, to: (await store.log.head()) + 1, parts: [LINKS] } })
      return record(running, [found(report(status, { paymentId: 'P1' }), { isLink: true })], { list: 'LINKS' })
    }
    await shows('received')
    expect(await shows('in_dispute')).toMatchObject({ differed: 1 })
    expect(await paymentOf(store, 'P1')).toMatchObject({ statusRaw: 'in_dispute', version: 2 })
    expect(await store.reads.subject('P1')).toMatchObject({ dueAt: null })
  })

  it('counts an entry as the planned read of a payment, and as the end of a link', async () => {
    const made = await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('waiting', { paymentId: 'P1' })))
    const before = present(await store.reads.subject('P1'))
    const head = await store.log.head()
    const running = await begin([LINKS])
    const told = await record(
      running,
      [
        found(report('waiting', { paymentId: 'P1' })),
        found(report('expired', { paymentId: made.id }), { isLink: true }),
      ],
      { list: 'LINKS' },
    )
    expect(told).toMatchObject({ equal: 1, differed: 1, added: 0 })
    expect((await store.reads.subject('P1'))?.deliveries).toBe(before.deliveries + 1)
    expect(await store.links.byIds([made.id])).toMatchObject([{ expired: true, paymentId: null }])
    expect(await store.reads.subject(made.id)).toMatchObject({ dueAt: null })
    expect(await store.log.head()).toBe(head + 1)
  })

  it('sets an entry aside that fails, and goes on with the others', async () => {
    const running = await begin([PAYINS])
    const broken = found(received('P2', { details: { amount: 'no number' } }))
    const told = await record(running, [found(received('P1')), broken, found(received('P3'))])
    expect(told).toMatchObject({ listed: 3, added: 2, addedIds: ['P1', 'P3'], failed: 1, failedIds: ['P2'] })
    expect(await current(running)).toMatchObject({ places: [{ kind: 'CHECK' }] })
    expect(await store.payments.byIds(['P1', 'P2', 'P3'])).toHaveLength(2)
  })

  it('keeps nothing of a payer who was erased', async () => {
    const payer = { name: 'Mary', email: 'mary@example.test' }
    const running = await begin([PAYINS])
    await record(running, [found(received('P1', { payer }), { isPayerErased: true })])
    await store.inbox.receive(delivery(received('P1', { payer }), { bytes: 'again' }))
    expect((await store.payments.payers(['P1'])).get('P1')).toBeUndefined()
  })

  it('adds up theirs and ours by currency', async () => {
    await store.inbox.receive(delivery(received('P1', { details: { amount: '10.00', paid: '4' } })))
    const running = await begin([PAYINS])
    const told = await record(running, [
      found(received('P1', { details: { amount: '10.00', paid: '10.00' } })),
      found(received('P2', { details: { amount: '0.125', currency: 'USDC', refunded: '0.1' } })),
    ])
    expect(told.totals).toEqual([
      {
        currency: 'AUD',
        theirs: { count: 1, amount: '10.00', paid: '10.00', refunded: '0' },
        ours: { count: 1, amount: '10.00', paid: '4', refunded: '0' },
      },
      {
        currency: 'USDC',
        theirs: { count: 1, amount: '0.125', paid: '0', refunded: '0.1' },
        ours: { count: 0, amount: '0', paid: '0', refunded: '0' },
      },
    ])
  })

  it('finds what is on record and was not listed, in bounded pages', async () => {
    const made = await Promise.all(
      Array.from({ length: 260 }, (_, index) => settledLink(store, `r${String(index).padStart(3, '0')}`)),
    )
    const running = await begin([LINKS])
    const seen = made.slice(0, 3).map(({ id }) => found(report('pending', { paymentId: id }), { isLink: true }))
    await record(running, seen, { list: 'LINKS' })
    const ids: string[] = []
    const placeNow = async () => present((await current(running)).places[0])
    for (let place = await placeNow(); place.kind === 'CHECK'; place = await placeNow()) {
      const query = { number: running.number, part: LINKS, place, from: NOW.getTime(), to: NOW.getTime() }
      const absent = await store.imports.absent(query)
      ids.push(...absent.objects.map(({ id }) => id))
      await store.imports.recordAbsent(running.number, place, absent, await lease())
    }
    expect(ids.toSorted()).toEqual(made.slice(3).map(({ id }) => id))
    const [told] = (await current(running)).reports
    expect(told).toMatchObject({ absent: 257, listed: 3 })
    expect(told?.absentIds).toHaveLength(50)
  })

  it.each(['LINKS', 'PAYINS', 'PAYOUTS'] as const)(
    'goes through the %s that are absent after each other',
    async (list) => {
      const part: ImportPart = { site: 'au', list }
      const ids = ['A', 'B', 'C'].map((name) => `${list}-${name}`)
      for (const [index, id] of ids.entries()) {
        const made = { id, ref: id, at: after(Math.min(index, 1) * MINUTE) }
        if (list === 'LINKS') await settledLink(store, id, { id, createdAt: made.at.toISOString() })
        else if (list === 'PAYOUTS') await settledPayout(store, id, made)
        else {
          const { command: begun } = await store.commands.begin(
            command(id, { mutation: 'createPayin', refKind: 'payin' }),
          )
          const asked = payin(id, { paymentId: id, createdAt: made.at.toISOString() })
          await store.commands.settleWithPayin(begun.id, { payin: asked, report: received(id), at: made.at })
        }
      }
      const absentAfter = async (last: CheckPlace['after']) => {
        const place = { kind: 'CHECK', part: 0, after: last } as const
        const query = { number: 1, part, place, from: NOW.getTime(), to: NOW.getTime() + MINUTE }
        return (await store.imports.absent(query)).objects
      }
      expect((await absentAfter(null)).map(({ id }) => id)).toEqual(ids)
      expect((await absentAfter({ at: NOW.getTime(), id: ids[0] ?? '' })).map(({ id }) => id)).toEqual(ids.slice(1))
      const last = await absentAfter({ at: NOW.getTime() + MINUTE, id: ids[1] ?? '' })
      expect(last.map(({ id }) => id)).toEqual(ids.slice(2))
      expect(last[0]?.ours?.currency).toBe(list === 'LINKS' ? undefined : 'AUD')
    },
  )

  it('does not miss a payin or a link of another site or time', async () => {
    await settledLink(store, 'a', { site: 'nz' })
    await settledLink(store, 'b', { createdAt: after(MINUTE).toISOString() })
    const place = { kind: 'CHECK', part: 0, after: null } as const
    const query = { number: 1, part: LINKS, place, from: NOW.getTime(), to: NOW.getTime() }
    expect(await store.imports.absent(query)).toEqual({ objects: [], next: null })
    expect((await store.imports.absent({ ...query, to: NOW.getTime() + MINUTE })).objects).toEqual([
      { id: 'LINK-b', ours: null },
    ])
    expect(await store.imports.absent({ ...query, part: PAYINS })).toEqual({ objects: [], next: null })
    expect(await store.imports.absent({ ...query, part: { site: 'au', list: 'AGREEMENTS' } })).toEqual({
      objects: [],
      next: null,
    })
  })

  it('records a payment that was asked for by its id', async () => {
    expect(await store.imports.recordFound(found(received('P1')), NOW)).toMatchObject({ id: 'P1', version: 1 })
    expect(await store.imports.recordFound(found(received('P1')), NOW)).toMatchObject({ id: 'P1', version: 1 })
    const unused = report('pending', { paymentId: 'LINK-x', linkId: 'LINK-x' })
    expect(await store.imports.recordFound(found(unused, { isLink: true }), NOW)).toBeNull()
    expect(await store.log.head()).toBe(1)
  })
}
