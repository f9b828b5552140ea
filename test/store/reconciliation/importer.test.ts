import { describe, expect, it, onTestFinished } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { createKeyRing, Secret } from '../../../src/keys/key-ring.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { type Importer, startImporter } from '../../../src/reconciliation/imports/importer.ts'
import { createReadBudget } from '../../../src/reconciliation/read-budget.ts'
import { createSites, type Site } from '../../../src/upstream/client/sites.ts'
import { UpstreamFault } from '../../../src/upstream/upstream-fault.ts'
import { dueReads } from '../../support/due-reads.ts'
import { after, delivery, linkOf, MINUTE, NOW, paymentOf, present, report, settledLink } from '../contract/builders.ts'
import { openStoreInVirtualTime } from './virtual-store.ts'

const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TODAY = new Date(`${NOW.toISOString().slice(0, 10)}T00:00:00.000Z`)
const SITES = createSites([
  { id: 'au', appId: 'app-au', secretKey: 'key-au', currencies: ['NZD'] },
  { id: 'jp', appId: 'app-jp', secretKey: 'key-jp', currencies: ['JPY'] },
])
const OUT_OF_REACH = new UpstreamFault({ kind: 'not-sent', reason: 'refused' })

type Call = {
  readonly site: string
  readonly list: string
  readonly from: Date
  readonly to: Date
  readonly page: number
}

async function setUp({ isDaily = true } = {}) {
  const { store, time, destroy } = await openStoreInVirtualTime()
  const lease = present(await store.leases.take('reader', 'test', { now: NOW, until: NOW }))
  const leader = { lease: () => lease, lost: () => {} }
  const logger = createLogger({ level: 'silent' })
  const budget = createReadBudget({ store, leader, timer: time.timer, logger })
  const calls: Call[] = []
  const fixture = {
    store,
    time,
    calls,
    /** What the payments API lists of links, by site: pages of entries. */
    links: {} as Record<string, readonly (readonly PaymentReport[])[]>,
    /** Throws the fault of a call. */
    fail: (_call: Call): void => {},
    importer: null as unknown as Importer,
    start: () => {},
  }
  const note = (call: Call) => {
    calls.push(call)
    fixture.fail(call)
  }
  const none = { entries: [], payouts: [], page: 1, nextPage: null, totalPages: 1, totalCount: 0 }
  const listed =
    (list: string) =>
    async ({ id }: Site, { from, to, page = 1 }: Partial<Call>) => {
      note({ site: id, list, from: present(from), to: present(to), page })
      return none
    }
  const upstream = {
    async listPayinLinks({ id }: Site, { from_date: from = '', to_date: to = '', page = 1 } = {}) {
      note({ site: id, list: 'LINKS', from: new Date(`${from}Z`), to: new Date(`${to}Z`), page })
      const pages = fixture.links[id] ?? [[]]
      const entries = (pages[page - 1] ?? []).map((said) => ({ report: said, endpointUrl: null, expiresAt: null }))
      return { entries, page, totalPages: pages.length }
    },
    listPayins: listed('PAYINS'),
    searchAgreements: listed('AGREEMENTS'),
    listPayouts: listed('PAYOUTS'),
  }
  fixture.start = () => {
    fixture.importer = startImporter({
      store,
      upstream: upstream as unknown as Parameters<typeof startImporter>[0]['upstream'],
      erasures: store.erasures,
      keys: createKeyRing([new Secret('0123456789abcdef0123456789abcdef')]),
      imports: store.imports,
      sites: SITES,
      budget,
      logger,
      clock: time.clock,
      timer: time.timer,
      leader,
      isDaily,
      isRejected: () => false,
      onRecorded: () => {},
    })
  }
  fixture.start()
  onTestFinished(async () => {
    budget.close()
    const closing = fixture.importer.close()
    await time.pass(MINUTE)
    await closing
    await destroy()
  })
  /** Returns the comparisons of the schedule, newest first. */
  const compared = async () => (await store.imports.page({ limit: 20, before: null }, { daily: true })).rows
  const untilDone = () => time.passUntil(async () => (await store.imports.running()).length === 0, 2 * HOUR)
  /** Advances time to an instant of the day that begins so many days after the first payment. */
  const at = (days: number, hours: number) =>
    time.pass(TODAY.getTime() + days * DAY + hours * HOUR - time.clock().getTime())
  return Object.assign(fixture, { compared, untilDone, at })
}

describe('the comparison of a day', () => {
  it('records what no webhook reported of it, after its end and again later', async () => {
    const fixture = await setUp()
    const { store } = fixture
    const made = await settledLink(store, 'a', {
      createdAt: NOW.toISOString(),
      expiresAt: after(9 * DAY).toISOString(),
    })
    await settledLink(store, 'b', { createdAt: NOW.toISOString(), expiresAt: after(9 * DAY).toISOString() })
    await store.inbox.receive(delivery(report('received', { paymentId: 'P1' }), { ref: 'b' }))
    const unpaid = report('pending', { paymentId: made.id })
    fixture.links = { au: [[unpaid, report('received', { paymentId: 'P1', linkId: 'LINK-b' })]] }
    await fixture.at(1, 0.9)
    expect(await fixture.compared()).toEqual([])
    await fixture.at(1, 1.1)
    await fixture.untilDone()
    expect(await fixture.compared()).toMatchObject([
      { plan: { from: TODAY.getTime(), to: TODAY.getTime() + DAY - 1 }, dryRun: false, requestedBy: null },
    ])
    expect((await fixture.compared())[0]?.reports[0]).toMatchObject({ site: 'au', list: 'LINKS', equal: 2 })

    // A payment through the link, and a refund, of which each webhook is lost.
    fixture.links = {
      au: [
        [
          report('received', { paymentId: 'P2', linkId: made.id }),
          report('return_received', { paymentId: 'P1', linkId: 'LINK-b' }),
        ],
      ],
    }
    await fixture.at(7, 1.1)
    await fixture.untilDone()
    expect(await paymentOf(store, 'P2')).toMatchObject({ status: 'received', linkRef: 'a' })
    expect((await linkOf(store, made.id)).paymentId).toBe('P2')
    expect(await dueReads(store.reads, fixture.time.clock(), 9, ['poll'])).toMatchObject([{ paymentId: 'P1' }])
    expect((await fixture.compared()).filter(({ plan }) => plan.from === TODAY.getTime())).toHaveLength(2)
  })

  it('reads a page again that was throttled, also in another process', async () => {
    const fixture = await setUp()
    await settledLink(fixture.store, 'a')
    const pages = Array.from({ length: 3 }, (_, page) => [report('received', { paymentId: `P${page}` })])
    fixture.links = { au: pages }
    let throttled = 1
    fixture.fail = ({ site, list, page }) => {
      if (site === 'au' && list === 'LINKS' && page === 2 && throttled-- > 0)
        throw new UpstreamFault({ kind: 'throttled', httpStatus: 429, retryAfterSeconds: 60 })
    }
    await fixture.at(1, 1)
    await fixture.time.passUntil(() => throttled === 0, MINUTE)
    const closing = fixture.importer.close()
    await fixture.time.pass(1)
    await closing
    fixture.start()
    await fixture.untilDone()
    const [done] = await fixture.compared()
    expect(done?.reports[0]).toMatchObject({ listed: 3, added: 3, problem: null })
    const asked = fixture.calls.filter(({ site, list }) => site === 'au' && list === 'LINKS')
    expect(asked.map(({ page }) => page)).toEqual([1, 2, 2, 3])
  })

  it('does not wait for a site that does not answer, and gives it up after a day', async () => {
    const fixture = await setUp()
    await settledLink(fixture.store, 'a')
    fixture.fail = ({ site }) => {
      if (site === 'au') throw OUT_OF_REACH
    }
    await fixture.at(1, 2)
    const lists = async (site: string) =>
      (await fixture.compared()).at(-1)?.places.filter(({ part }) => part < 3 === (site === 'au'))
    expect((await lists('jp'))?.map(({ kind }) => kind)).toEqual(['DONE', 'DONE', 'DONE'])
    expect((await lists('au'))?.[0]).toMatchObject({ kind: 'LIST', page: 1 })
    await fixture.at(2, 1.5)
    expect((await fixture.compared()).map(({ plan }) => plan.from)).toEqual([TODAY.getTime() + DAY, TODAY.getTime()])
    await fixture.at(2, 2)
    expect((await fixture.compared()).at(-1)).toMatchObject({ doneAt: expect.any(Number) as number })
    expect((await fixture.compared()).at(-1)?.reports.map(({ site, problem }) => `${site} ${problem}`)).toEqual([
      ...Array<string>(3).fill('au UNREADABLE'),
      ...Array<string>(3).fill('jp null'),
    ])
  })

  it('is not made where it is switched off, nor before anything is on record', async () => {
    const off = await setUp({ isDaily: false })
    await settledLink(off.store, 'a')
    await off.importer.compare(NOW, after(HOUR))
    const empty = await setUp()
    for (const fixture of [off, empty]) {
      await fixture.at(3, 0)
      expect(fixture.calls).toEqual([])
    }
  })
})

describe('the comparison of a gap', () => {
  it('reads the oldest day first, and is begun once', async () => {
    const fixture = await setUp()
    const [from, to] = [after(-2 * DAY - HOUR), NOW]
    await fixture.importer.compare(from, to)
    await fixture.importer.compare(from, after(MINUTE))
    await fixture.untilDone()
    const spans = fixture.calls.filter(({ site, list }) => site === 'jp' && list === 'PAYINS')
    expect(spans.map((call) => call.from)).toEqual([from, after(DAY, from), after(2 * DAY, from)])
    expect(spans.at(-1)?.to).toEqual(to)
  })
})
