import { isListable } from '../domain/payments/direct-payin.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import { mayReadEarly } from '../domain/reads/read-schedule.ts'
import { isOutage, LeaseLostError } from '../store/store-errors.ts'
import type { Lease, ReadOutcome, ReadStore, ReadSubject } from '../store/store.ts'
import { spanQuery } from '../upstream/client/exchange-checks.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import {
  DENSE_NEIGHBOURS,
  isDense,
  learnedLag,
  type ListLag,
  type ListPage,
  listPage,
  NEIGHBOURS,
} from './list-page.ts'

/** Reads many payments with one list page of the payments API. */
export type ListedReads = {
  /**
   * Reads the page that lists a subject and its neighbours, and records what the page confirms. Returns null, without a call, if
   * the subject has to be read by itself. Returns `superseded` if the page did not settle the subject, which is then read by
   * itself next time. Rejects with an `UpstreamFault`, or with `LeaseLostError` if the lease is not the current one.
   */
  read(subject: ReadSubject, site: Site, lease: Lease): Promise<ReadOutcome | null>
  /** Resolves when no page is being read that may list the subject. */
  uncovered(subject: ReadSubject, site: Site): Promise<void>
}

export type ListedReadOptions = {
  readonly reads: Pick<ReadStore, 'nearby' | 'subject' | 'confirmListed'>
  readonly upstream: Pick<UpstreamClient, 'listPayinLinks' | 'listPayins'>
  readonly clock: () => Date
  /** Called with the number of neighbours that a page confirmed. */
  readonly onListed: (count: number) => void
}

/** Minimum number of reads that a page has to replace. */
const LEAST_USEFUL = 3
/** After this many pages in a row that confirmed too little, lists of the site are not used for an hour. */
const MOST_MISSES = 3
const PAUSE_MS = 3_600_000
/** Maximum number of remembered subjects that have to be read by themselves. */
const MOST_ASIDE = 10_000

type Misses = { count: number; pausedUntil: number }

/**
 * List pages replace single reads where payments made at about the same time are due together: after a gap, or at a high rate of
 * payments.
 */
export function createListedReads({ reads, upstream, clock, onListed }: ListedReadOptions): ListedReads {
  const aside = new Set<string>()
  const misses = new Map<string, Misses>()
  const lags = new Map<string, ListLag>()
  const lastRead = new Map<string, ListPage>()
  /** The page that is being read, by the id of its site. It never rejects. */
  const underWay = new Map<string, Promise<unknown>>()

  const setAside = (subject: ReadSubject) => {
    if (aside.size >= MOST_ASIDE) aside.clear()
    aside.add(keyOf(subject))
  }

  const isPaused = (site: Site) => (misses.get(site.id)?.pausedUntil ?? 0) > clock().getTime()

  const countMiss = (site: Site) => {
    const count = (misses.get(site.id)?.count ?? 0) + 1
    const pausedUntil = count < MOST_MISSES ? 0 : clock().getTime() + PAUSE_MS
    misses.set(site.id, { count: count % MOST_MISSES, pausedUntil })
  }

  /** Records the page; returns how many neighbours it confirmed and the outcome for the subject itself. */
  const record = async (subject: ReadSubject, { neighbours, reports }: ReadPage, lease: Lease) => {
    let confirmed = 0
    let own: ReadOutcome = 'superseded'
    for (const neighbour of neighbours) {
      const report = reportOf(neighbour, reports)
      if (report === undefined) continue
      const isSubject = keyOf(neighbour) === keyOf(subject)
      const outcome = await reads.confirmListed(neighbour, report, clock(), lease).catch((error: unknown) => {
        if (isSubject || error instanceof LeaseLostError || isOutage(error)) throw error
        return null
      })
      // A neighbour that fails does not fail the others: it is told of when it is read by itself.
      if (outcome === 'differs' || outcome === null) setAside(neighbour)
      if (outcome !== 'changed' && outcome !== 'confirmed') continue
      confirmed += 1
      if (isSubject) own = outcome
    }
    return { confirmed, own }
  }

  /** In the order of their creation, the subject first. */
  const neighboursOf = async (subject: ReadSubject): Promise<readonly ReadSubject[]> => {
    const ordered = async (limit: number) =>
      (await reads.nearby(subject, limit)).toSorted((a, b) => madeAt(a) - madeAt(b))
    const neighbours = await ordered(NEIGHBOURS)
    return isDense(neighbours.map(madeAt)) ? ordered(DENSE_NEIGHBOURS) : neighbours
  }

  /**
   * Finds where the entries of a page were expected, so that the next page is the right one. Returns whether the page shows neighbours, and so
   * that the next one may have more of them; false where payments are not dense.
   */
  const learn = async (site: Site, { neighbours, entries, reports, page }: ReadPage): Promise<boolean> => {
    const instants = neighbours.map(madeAt)
    if (!isDense(instants)) return false
    const places = neighbours.flatMap((neighbour, order) => {
      const report = reportOf(neighbour, reports)
      return report === undefined ? [] : [{ order, place: entries.indexOf(report) }]
    })
    const [entry] = entries
    const known = places.length > 0 || entry === undefined ? null : await reads.subject(entry.linkId ?? entry.paymentId)
    const lag = lags.get(site.id) ?? null
    const firstAt = known === null ? null : madeAt(known)
    lags.set(site.id, learnedLag({ instants, page, lag, entries: entries.length, places, firstAt }))
    return places.length > 0
  }

  const readPage = async (subject: ReadSubject, site: Site, lease: Lease): Promise<ReadOutcome | null> => {
    const neighbours = await neighboursOf(subject)
    const page = listPage(neighbours.map(madeAt), {
      lag: lags.get(site.id) ?? null,
      lastRead: lastRead.get(site.id) ?? null,
    })
    const now = clock().getTime()
    const useful = neighbours.slice(0, page?.replaced ?? 0).filter((neighbour) => isUseful(neighbour, now))
    if (page === null || useful.length < LEAST_USEFUL) return null
    lastRead.set(site.id, page)
    const entries = await listed(upstream, site, { page, byLink: subject.link !== null })
    const read = { neighbours, entries, reports: byId(entries), page }
    const { confirmed, own } = await record(subject, read, lease)
    const isNear = await learn(site, read)
    if (confirmed >= LEAST_USEFUL) misses.delete(site.id)
    else if (!isNear) countMiss(site)
    onListed(confirmed)
    if (own === 'superseded') setAside(subject)
    return own
  }

  return {
    async read(subject, site, lease) {
      if (aside.delete(keyOf(subject)) || isPaused(site) || !mayBeListed(subject)) return null
      // The page being read may contain this subject too.
      if (underWay.has(site.id)) return 'superseded'
      const reading = readPage(subject, site, lease).finally(() => underWay.delete(site.id))
      underWay.set(site.id, Promise.allSettled([reading]))
      return reading
    },
    async uncovered(subject, site) {
      if (mayBeListed(subject)) await underWay.get(site.id)
    },
  }
}

/** Reports by the ids that the list's entries name: of the payment, and of its link where they name it. */
type Reports = ReadonlyMap<string, PaymentReport>

/** A list page that was read, and the neighbours that it was chosen for. */
type ReadPage = {
  readonly neighbours: readonly ReadSubject[]
  /** In the order of the page. */
  readonly entries: readonly PaymentReport[]
  readonly reports: Reports
  readonly page: ListPage
}

async function listed(
  upstream: ListedReadOptions['upstream'],
  site: Site,
  { page: { from, to, page }, byLink }: { page: ListPage; byLink: boolean },
): Promise<PaymentReport[]> {
  const { entries } = byLink
    ? await upstream.listPayinLinks(site, { ...spanQuery({ from, to }), page })
    : await upstream.listPayins(site, { from, to, page })
  return entries.map(({ report }) => report)
}

function byId(reports: readonly PaymentReport[]): Reports {
  return new Map(
    reports.flatMap((report) =>
      [report.paymentId, ...(report.linkId === null ? [] : [report.linkId])].map((id) => [id, report] as const),
    ),
  )
}

function isUseful(subject: ReadSubject, now: number): boolean {
  const { payment, dueAt } = subject
  if (dueAt === null || !mayBeListed(subject)) return false
  // A read of an unused link gives no information before the link's expiry.
  if (payment === null) return dueAt.getTime() <= now
  return mayReadEarly(dueAt.getTime(), Date.parse(payment.updatedAt), now)
}

function mayBeListed({ payment, link, payin }: ReadSubject): boolean {
  return (link !== null || payin !== null) && (payment === null || isListable(payment))
}

function madeAt({ link, payin }: ReadSubject): number {
  return Date.parse((link ?? payin)?.createdAt ?? '')
}

/** Returns the entry of a subject. That of a link without a payment has the link's uuid in both forms of an entry. */
function reportOf({ link, paymentId }: ReadSubject, reports: Reports): PaymentReport | undefined {
  return reports.get(link?.id ?? '') ?? reports.get(paymentId ?? '')
}

function keyOf({ link, paymentId }: ReadSubject): string {
  return paymentId ?? link?.id ?? ''
}
