import { isListable } from '../domain/payments/direct-payin.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import { mayReadEarly } from '../domain/reads/read-schedule.ts'
import type { Lease, ReadOutcome, ReadStore, ReadSubject } from '../store/store.ts'
import type { Site } from '../upstream/client/sites.ts'
import { spanQuery } from '../upstream/client/transport.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'

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
  readonly reads: Pick<ReadStore, 'nearby' | 'confirmListed'>
  readonly upstream: Pick<UpstreamClient, 'listPayinLinks' | 'listPayins'>
  readonly clock: () => Date
  /** Called with the number of neighbours that a page confirmed. */
  readonly onListed: (count: number) => void
}

/** Entries on a list page of the payments API (gap sheet, sections 5.3 and 10). */
const PAGE = 20
/** Minimum number of reads that a page has to replace. */
const LEAST_USEFUL = 3
/** Maximum number of neighbours that are fetched as candidates for the page. */
const NEIGHBOURS = 2 * PAGE
/** Entries left free on the page, since the number of payments made within the margin is an estimate. */
const SLACK = 2
/**
 * How much earlier than our record the payments API may have created an entry, how much later by its clock, and how much earlier
 * it usually is.
 */
const SOONER_MS = 5_000
const LATER_MS = 2_000
const USUALLY_SOONER_MS = 500
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
  const record = async (subject: ReadSubject, { neighbours, reports }: Listed, lease: Lease) => {
    let confirmed = 0
    let own: ReadOutcome = 'superseded'
    for (const neighbour of neighbours) {
      const report = reportOf(neighbour, reports)
      if (report === undefined) continue
      const outcome = await reads.confirmListed(neighbour, report, clock(), lease)
      if (outcome === 'differs') setAside(neighbour)
      if (outcome !== 'changed' && outcome !== 'confirmed') continue
      confirmed += 1
      if (keyOf(neighbour) === keyOf(subject)) own = outcome
    }
    return { confirmed, own }
  }

  const readPage = async (subject: ReadSubject, site: Site, lease: Lease): Promise<ReadOutcome | null> => {
    const neighbours = (await reads.nearby(subject, NEIGHBOURS)).toSorted((a, b) => madeAt(a) - madeAt(b))
    const page = pageOf(neighbours, clock().getTime())
    if (page === null) return null
    const reports = await listed(upstream, site, { page, byLink: subject.link !== null })
    const { confirmed, own } = await record(subject, { neighbours, reports }, lease)
    if (confirmed < LEAST_USEFUL) countMiss(site)
    else misses.delete(site.id)
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

/** A list page: the candidates for it, and the entries that it has. */
type Listed = { readonly neighbours: readonly ReadSubject[]; readonly reports: Reports }

type Page = { readonly from: Date; readonly to: Date; readonly page: number }

async function listed(
  upstream: ListedReadOptions['upstream'],
  site: Site,
  { page, byLink }: { page: Page; byLink: boolean },
): Promise<Reports> {
  const { entries } = byLink
    ? await upstream.listPayinLinks(site, { ...spanQuery(page), page: page.page })
    : await upstream.listPayins(site, page)
  return new Map(
    entries.flatMap(({ report }) =>
      [report.paymentId, ...(report.linkId === null ? [] : [report.linkId])].map((id) => [id, report] as const),
    ),
  )
}

/**
 * Returns the page on which the subject is the last entry, after those made right after it: the list is sorted newest first, and
 * entries made within the margin come before them. Returns null if the page would replace too few reads. `neighbours` are in the order of
 * their creation, the subject first.
 */
function pageOf(neighbours: readonly ReadSubject[], now: number): Page | null {
  const instants = neighbours.map(madeAt)
  const [first] = instants
  const last = instants.at(-1)
  if (first === undefined || last === undefined) return null
  const inMargin = (neighbours.length * (LATER_MS + USUALLY_SOONER_MS)) / Math.max(last - first, LATER_MS)
  const page = Math.ceil((inMargin + PAGE / 2) / PAGE)
  const count = Math.max(1, Math.floor(page * PAGE - inMargin) - SLACK)
  const useful = neighbours.slice(0, Math.min(count, PAGE)).filter((neighbour) => isUseful(neighbour, now))
  if (useful.length < LEAST_USEFUL) return null
  const to = instants[count - 1] ?? last
  return { page, from: new Date(first - SOONER_MS), to: new Date(to + LATER_MS) }
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
