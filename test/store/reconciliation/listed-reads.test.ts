import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { ListedReadOptions } from '../../../src/reconciliation/listed-reads.ts'
import { seeded } from '../../faults/seed.ts'
import { pollAt } from '../../support/due-reads.ts'
import { after, delivery, MINUTE, NOW, paymentOf, report, settledLink } from '../contract/builders.ts'
import { readAll, SECOND, setUp, type ReaderFixture } from './reader-fixture.ts'

/** A link at the payments API: the time of its creation there, and its current report. */
type Listed = { readonly madeAt: Date; said: PaymentReport }

type Api = {
  readonly links: Map<string, Listed>
  /** Number of requested pages. */
  pages: number
  /** True: lists ignore all filters and return the newest links. */
  ignoresFilters: boolean
  /** Whether an entry names its link, or the payment alone: both forms exist (gap sheet, C3). */
  namesLinks: boolean
  /** Virtual milliseconds that a page takes. */
  pageMs: number
}

/** Returns lists with pages of 20, newest first, by the creation time at the payments API, which is a moment before ours. */
function listsOf(api: Api): (fixture: Pick<ReaderFixture, 'time'>) => ListedReadOptions['upstream'] {
  const read = (query: { from_date?: string; to_date?: string; page?: number }) => {
    const { page = 1 } = query
    api.pages += 1
    const [from, to] = [Date.parse(`${query.from_date}Z`), Date.parse(`${query.to_date}Z`)]
    const entries = [...api.links.values()]
      .filter(({ madeAt }) => api.ignoresFilters || (madeAt.getTime() >= from && madeAt.getTime() <= to))
      .toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime())
      .slice((page - 1) * 20, page * 20)
    return {
      entries: entries.map(({ said }) => ({
        report: api.namesLinks ? said : { ...said, linkId: null },
        endpointUrl: null,
        link: null,
      })),
      page: 1,
      totalPages: null,
    }
  }
  return ({ time }) => ({
    listPayinLinks: async (_site, filters = {}) => {
      if (api.pageMs > 0) await new Promise<void>((resolve) => void time.timer.after(api.pageMs, resolve))
      return read(filters)
    },
    listPayins: () => Promise.reject(new Error('No payin is due here.')),
  })
}

/** Returns the id of a payment. As with the uuids of the payments API, the order of the ids is not that of their creation. */
const payId = (n: number): string => `PAY-${String((n * 7_919) % 1_000).padStart(3, '0')}`

type Made = {
  readonly perSecond?: number
  /** Milliseconds by which the payments API creates a link sooner than it is recorded. */
  readonly lagMs?: () => number
  /** Milliseconds to the next link. Default: always the same. */
  readonly nextMs?: () => number
}

/** Creates `count` paid links at intervals of `apartMs`. The polls of all of them are due. */
async function fixture(count: number, apartMs: number, options: Made = {}) {
  const { perSecond = 100_000, lagMs = () => 400, nextMs = () => apartMs } = options
  const api: Api = { links: new Map(), pages: 0, ignoresFilters: false, namesLinks: true, pageMs: 0 }
  const made = await setUp({ lists: listsOf(api), perSecond })
  let madeMs = 0
  const createdAts = Array.from({ length: count }, () => {
    const createdAt = after(madeMs - 600 * MINUTE)
    madeMs += nextMs()
    return createdAt
  })
  const make = async (createdAt: Date, n: number) => {
    const ref = `r${String(n).padStart(3, '0')}`
    await settledLink(made.store, ref, { createdAt: createdAt.toISOString() })
    const said = report('received', { paymentId: payId(n), linkId: `LINK-${ref}` })
    await made.store.inbox.receive(delivery(said, { ref, receivedAt: createdAt }))
    await pollAt(made.store.reads, payId(n), NOW)
    api.links.set(`LINK-${ref}`, { madeAt: new Date(createdAt.getTime() - lagMs()), said })
  }
  // Side by side, so that they share commits.
  await Promise.all(createdAts.map(make))
  made.answer = async (id) => {
    const listed = api.links.get(id)
    if (listed === undefined) throw new Error('Nobody made this link.')
    return listed.said
  }
  return { made, api }
}

const waiting = async ({ store, time }: ReaderFixture) => (await store.reads.backlog(time.clock())).waiting

const { between } = seeded('when neighbours are made')

describe('reads of neighbours that are due together', () => {
  it.each([
    ['a day of a small merchant', 60, 600 * SECOND, true],
    ['a minute of a large one', 60, SECOND, true],
    ['a minute of a large one, by the ids of the payments', 60, SECOND, false],
    ['ten in a second', 200, 100, true],
  ])('cost a page for many: %s', async (_name, count, apartMs, namesLinks) => {
    const { made, api } = await fixture(count, apartMs)
    api.namesLinks = namesLinks
    await readAll(made)
    expect(await waiting(made)).toBe(0)
    expect(made.listed).toBeGreaterThan(count / 2)
    expect(api.pages + made.asked.length).toBeLessThanOrEqual(count / 5)
    expect((await paymentOf(made.store, payId(7))).version).toBe(2)
  })

  it.each([
    ['20 in a second', 50, 0],
    ['30 in a second, created 2 seconds sooner', 33, 2_000],
    ['50 in a second, by a clock that is 1.5 seconds ahead', 20, -1_500],
    ['100 in a second', 10, 400],
    ['100 in a second, created 4 seconds sooner', 10, 4_000],
  ])('cost a page for many at a high rate: %s', async (_name, apartMs, lagMs) => {
    const count = 600
    const { made, api } = await fixture(count, apartMs, {
      lagMs: () => lagMs + between(0, 100),
      nextMs: () => Math.round(-apartMs * Math.log(between(1, 1_000) / 1_000)),
    })
    await readAll(made)
    expect(await waiting(made)).toBe(0)
    expect(made.listed).toBeGreaterThan(count / 2)
    expect(api.pages + made.asked.length).toBeLessThanOrEqual(count / 3)
  })

  it('use no read of the budget for what the page that is being read may confirm', async () => {
    const { made, api } = await fixture(60, SECOND, { perSecond: 2 })
    api.pageMs = 300
    await readAll(made)
    expect(await waiting(made)).toBe(0)
    expect(made.outcomes).toHaveLength(api.pages + made.asked.length)
  })

  it('record nothing of an entry that says anything new: that payment is read by itself, at once', async () => {
    const { made, api } = await fixture(40, SECOND)
    const changed = report('in_dispute', { paymentId: payId(30), linkId: 'LINK-r030' })
    const listed = api.links.get('LINK-r030')
    if (listed !== undefined) listed.said = changed
    made.answer = async () => ({ ...changed, details: { ...changed.details, refunded: '1.00' } })
    await readAll(made)
    expect(made.asked).toContain('LINK-r030')
    expect(await paymentOf(made.store, payId(30))).toMatchObject({
      statusRaw: 'in_dispute',
      details: { refunded: '1.00' },
    })
  })

  it('settle no doubt: each is read by itself', async () => {
    const { made, api } = await fixture(30, SECOND)
    for (let n = 0; n < 30; n++) {
      const ref = `r${String(n).padStart(3, '0')}`
      const said = report('pending', { paymentId: payId(n), linkId: `LINK-${ref}` })
      await made.store.inbox.receive(delivery(report('failed', said), { ref }))
    }
    await readAll(made)
    expect(made.asked).toHaveLength(30)
    expect(api.pages).toBe(0)
  })

  it.each([
    ['an hour apart', 60 * MINUTE],
    ['50 in a second', 20],
  ])(
    'are made one by one where the list ignores what it is asked for, after three pages in vain: %s',
    async (_name, apartMs) => {
      const { made, api } = await fixture(40, apartMs)
      for (let n = 0; n < 300; n++)
        api.links.set(`LATER-${n}`, { madeAt: after(9_000 * MINUTE), said: report('received', { paymentId: `L${n}` }) })
      api.ignoresFilters = true
      await readAll(made)
      expect(await waiting(made)).toBe(0)
      expect(api.pages).toBe(3)
      expect(made.asked).toHaveLength(40)
    },
  )

  it('are made one by one where few are due', async () => {
    const { made, api } = await fixture(2, SECOND)
    await readAll(made)
    expect(made.asked).toHaveLength(2)
    expect(api.pages).toBe(0)
  })
})
