import { expect, it } from 'vitest'
import { delivery, events, NOW, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function logContract(fixture: Fixture): void {
  const { store } = fixture
  async function history(): Promise<void> {
    await settledLink(store, 'a')
    await settledLink(store, 'b')
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P1' }), { ref: 'a' }))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2' }), { ref: 'b' }))
    await store.inbox.receive(delivery(report('received', { paymentId: 'P1' }), { ref: 'a' }))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P3' })))
  }

  it('is read onwards from a position, a page at a time', async () => {
    await history()
    const { log } = store
    const pages = [(await log.read(0, 4)).events, (await log.read(4, 4)).events, (await log.read(6, 4)).events]
    expect(pages.map((page) => page.map(({ position }) => position))).toEqual([[1, 2, 3, 4], [5, 6], []])
  })

  it('is read from its end, oldest first', async () => {
    expect((await store.log.newest(3)).events).toEqual([])
    await history()
    const { log } = store
    const positions = async (...args: Parameters<typeof log.newest>) =>
      (await log.newest(...args)).events.map(({ position }) => position)
    expect(await positions(4)).toEqual([3, 4, 5, 6])
    expect(await positions(100)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await positions(2, { kinds: ['PAYMENT_STATUS_CHANGED'] })).toEqual([5, 6])
    expect(await positions(2, { paymentIds: ['P1'] })).toEqual([3, 5])
    expect(await positions(3, { streamIds: ['link:a', 'link:b'] })).toEqual([3, 4, 5])
    expect(await positions(2, {}, 5)).toEqual([3, 4])
    expect(await positions(2, { paymentIds: ['P1'] }, 5)).toEqual([3])
    expect(await positions(3, { kinds: [] })).toEqual([])
    await expect(log.newest(0)).rejects.toThrow(RangeError)
  })

  it('joins the lists of a filter by AND, and the values of a list by OR', async () => {
    await history()
    const ids = async (filter: Parameters<typeof store.log.read>[2]) =>
      (await store.log.read(0, 100, filter)).events.map(({ id }) => id)

    expect(await ids({ streamIds: ['link:a', 'payment:P3'] })).toEqual([
      'link:a.1',
      'link:a.2',
      'link:a.3',
      'payment:P3.1',
    ])
    expect(await ids({ paymentIds: ['P1'] })).toEqual(['link:a.2', 'link:a.3'])
    expect(await ids({ linkIds: ['LINK-b', 'NONE'] })).toEqual(['link:b.1', 'link:b.2'])
    expect(await ids({ kinds: ['LINK_CREATED'] })).toEqual(['link:a.1', 'link:b.1'])
    expect(await ids({ linkIds: ['LINK-a'], kinds: ['PAYMENT_STATUS_CHANGED'], paymentIds: ['P1', 'P2'] })).toEqual([
      'link:a.2',
      'link:a.3',
    ])
    expect(await ids({ linkIds: ['LINK-a'], paymentIds: ['P2'] })).toEqual([])
    expect(await ids({ kinds: [] })).toEqual([])
  })

  it('finds events of any number of payments, each once, in the order of the log', async () => {
    const ids = Array.from({ length: 120 }, (_, n) => `P${n}`)
    for (const status of ['pending', 'received'])
      for (const paymentId of ids) await store.inbox.receive(delivery(report(status, { paymentId })))
    const positions = async (limit: number, after = 0) =>
      (await store.log.read(after, limit, { paymentIds: [...ids, ...ids, 'NONE'].toReversed() })).events.map(
        ({ position }) => position,
      )
    const all = Array.from({ length: 240 }, (_, n) => n + 1)
    expect(await positions(1000)).toEqual(all)
    expect(await positions(50, 100)).toEqual(all.slice(100, 150))
    expect(await positions(50, 240)).toEqual([])
  })

  it('finds what a payment was told before its link was known by that link only where the link stands in it', async () => {
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P1', linkId: 'LINK-a' })))
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('received', { paymentId: 'P1' }), { ref: 'a' }))
    const ids = async (filter: Parameters<typeof store.log.read>[2]) =>
      (await store.log.read(0, 9, filter)).events.map(({ id }) => id)
    expect(await ids({ paymentIds: ['P1'] })).toEqual(['payment:P1.1', 'payment:P1.2'])
    expect(await ids({ linkIds: ['LINK-a'] })).toEqual(['link:a.1', 'payment:P1.2'])
    expect(await ids({ linkIds: ['LINK-a'], kinds: ['LINK_CREATED'] })).toEqual(['link:a.1'])
    expect(await ids({ linkIds: ['LINK-a'], streamIds: ['payment:P1'] })).toEqual(['payment:P1.2'])
  })

  it('refuses a limit outside 1 to 1,000', async () => {
    await expect(store.log.read(0, 0)).rejects.toThrow(RangeError)
    await expect(store.log.read(0, 1001)).rejects.toThrow(RangeError)
  })

  it('finds events by id, whatever else is asked for', async () => {
    await history()
    const found = await store.log.byIds(['link:b.2', 'link:a.1', 'link:a.99', 'nonsense', 'link:a.1'])
    expect(found.map(({ id }) => id)).toEqual(['link:a.1', 'link:b.2'])
    expect(await store.log.byIds([])).toEqual([])
    const many = Array.from({ length: 1500 }, (_, n) => `link:a.${n + 1}`)
    expect(await store.log.byIds(many)).toHaveLength(3)
  })

  it('finds the event of the same payment before each of any number of events', async () => {
    await settledLink(store, 'a')
    for (const [paymentId, status] of [
      ['P1', 'pending'],
      ['P2', 'pending'],
      ['P1', 'received'],
      ['P2', 'authorised'],
    ] as const)
      await store.inbox.receive(delivery(report(status, { paymentId }), { ref: 'a' }))
    for (let n = 0; n < 120; n += 1) await store.inbox.receive(delivery(report(`odd_${n}`, { paymentId: 'P3' })))
    const all = (await store.log.read(0, 1000)).events.filter(({ payment }) => payment !== null)
    const previous = await store.log.previousOfPayments(all)
    expect(previous.slice(0, 4).map((event) => event?.id)).toEqual([undefined, undefined, 'link:a.2', 'link:a.3'])
    expect(previous.slice(4)).toEqual([null, ...all.slice(4, -1)])
  })

  it('wakes its listeners after a commit that appended, and not for one that did not', async () => {
    const heads: Promise<number>[] = []
    const stop = store.log.onAppend(() => heads.push(store.log.head()))
    const first = delivery(report('pending'))
    await store.inbox.receive(first)
    await store.inbox.receive(first)
    await store.inbox.receive(delivery(report('received')))
    stop()
    expect(await Promise.all(heads)).toEqual([1, 2])
    await store.inbox.receive(delivery(report('return_pending')))
    expect(heads).toHaveLength(2)
  })

  it('keeps everything when it is closed and opened again', async () => {
    await history()
    const before = { events: await events(store), payments: await store.payments.byIds(['P1', 'P2', 'P3']) }
    const again = await fixture.opened.reopen()
    expect({ events: await events(again), payments: await again.payments.byIds(['P1', 'P2', 'P3']) }).toEqual(before)
    expect(again.logId).toBe(store.logId)
    await again.inbox.receive(delivery(report('received', { paymentId: 'P3' }), { receivedAt: NOW }))
    expect((await again.log.read(6, 10)).events.map(({ id, position }) => [id, position])).toEqual([
      ['payment:P3.2', 7],
    ])
  })

  it('answers a ping until it is closed, and takes no write afterwards', async () => {
    await store.ping()
    await store.close()
    await expect(store.ping()).rejects.toThrow('The store is closed.')
    await expect(store.inbox.receive(delivery(report('pending')))).rejects.toThrow('The store is closed.')
  })
}
