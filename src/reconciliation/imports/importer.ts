import { nextComparedDay, spanOfDay } from '../../domain/imports/compared-days.ts'
import {
  type CheckPlace,
  type ListPlace,
  partAt,
  spanAt,
  type PaymentImport,
} from '../../domain/imports/import-plan.ts'
import type { ImportProblem } from '../../domain/imports/import-report.ts'
import { type ImportPart, IMPORTED_LISTS } from '../../domain/imports/imported-lists.ts'
import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import type { Store } from '../../ledger/store.ts'
import { type PeriodicTask, restAsLong, runEach, startPeriodicTask, type Timer } from '../../lib/timers.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Lease, FoundPayment } from '../../store/port.ts'
import { isOutage, LeaseLostError } from '../../store/store-errors.ts'
import type { Site, Sites } from '../../upstream/client/sites.ts'
import type { UpstreamClient } from '../../upstream/upstream-client.ts'
import { UpstreamFault } from '../../upstream/upstream-fault.ts'
import type { ReadBudget } from '../read-budget.ts'
import type { HeldLease } from '../upkeep.ts'
import { type ListPageOptions, readListPage, type ErasedPayersOptions, foundPayments } from './read-list-page.ts'

type ImporterOptions = ListPageOptions & {
  readonly imports: Store['imports']
  readonly sites: Sites
  readonly budget: ReadBudget
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** The process with this lease works on imports. */
  readonly leader: HeldLease
  readonly store: Pick<Store, 'now'>
  /** Whether each day, and each gap in which no process ran, is compared. */
  readonly isDaily: boolean
  /** Whether the payments API does not accept the credentials of a site: then the others do not wait for it. */
  readonly isRejected: (site: Site) => boolean
  /** Called when something was recorded, after which reads may be due. */
  readonly onRecorded: () => void
}

const EVERY_MS = 5_000
/** Milliseconds until the days are looked at again after none was due. */
const QUIET_MS = 60_000
/** A comparison waits for a site for so many milliseconds. What it has missed is found by the next comparison. */
const LONGEST_BLOCKED_MS = 24 * 3_600_000
/** Attempts to read a page without a usable answer before its list is given up. A site that is throttled or out of reach is waited for without end. */
const MOST_ATTEMPTS = 3
/** How far the clocks of both sides may be apart: an object that was created here so near to an end of the interval is not missed in the list. */
const MARGIN_MS = 60_000

export type Importer = PeriodicTask & {
  /** Begins the comparison of an interval, unless comparisons are switched off. It goes on in the background, the oldest day first. */
  compare(from: Date, to: Date): Promise<void>
}

/**
 * Works on imports as the leader of the cluster, at the pace of each site, on all sites and imports at the same time: a site that does not answer
 * holds up no other one. The progress is stored with what it records, so that another process goes on after this one has ended at any point. By
 * the timer every five seconds; what failed is tried again.
 */
export function startImporter(options: ImporterOptions): Importer {
  const { store, imports, sites, budget, logger, clock, timer, leader, isDaily, isRejected, onRecorded } = options
  /** Failed reads of the page at which a list is, by number of the import and of the list. */
  const failures = new Map<string, number>()
  /** Since when no list of a site can be read, by the timer, by number of the import and the site. */
  const blocked = new Map<string, number>()
  let quietUntil = Number.NEGATIVE_INFINITY
  /** What is being worked on: the lists of a site, by number of the import and the site. */
  const working = new Map<string, Promise<void>>()

  const compare = async (from: Date, to: Date) => {
    if (!isDaily) return
    const plan = { from: from.getTime(), to: to.getTime(), parts: importParts(sites) }
    await imports.begin({ plan, dryRun: false, daily: true, requestedBy: null, requestedAt: await store.now() })
  }

  /** Begins the comparison of a day when no other one can go on. One that waits for a site is not waited for. */
  const beginDaily = async () => {
    if (timer.now() < quietUntil) return
    const canGoOn = ({ plan, places }: PaymentImport) =>
      places.some((place) => place.kind !== 'DONE' && budget.heldMs(partAt(plan, place).site) === 0)
    if ((await imports.running()).some((running) => running.daily && canGoOn(running))) return
    const now = await store.now()
    const day = nextComparedDay(now.getTime(), await imports.comparedDays(now))
    if (day === null) quietUntil = timer.now() + QUIET_MS
    else await compare(new Date(spanOfDay(day).from), new Date(spanOfDay(day).to))
  }

  /** Returns false if the site cannot be read now. */
  const readPage = async (current: PaymentImport, place: ListPlace, lease: Lease) => {
    const { number, plan, dryRun } = current
    const part = partAt(plan, place)
    const site = sites.byId(part.site)
    if (site === null) return giveUp(number, place, 'NOT_CONFIGURED', lease)
    const permit = await budget.acquire(site.id, 'comparison')
    if (permit === null) return block(current, place, site, lease)
    const wanted = { ...spanAt(plan, place), list: part.list, page: place.page }
    let read: Awaited<ReturnType<typeof readListPage>>
    try {
      read = await readListPage(options, site, wanted)
      permit.end(null)
    } catch (error) {
      const trouble = permit.end(error)
      if (trouble !== null && !trouble.mayBeItsOwn) return false
      throw error
    }
    const reasons = await imports.record({ number, place, ...read, at: clock() }, lease)
    failures.delete(keyOf(number, place))
    blocked.delete(`${number} ${site.id}`)
    for (const error of reasons)
      logger.error({ site: site.id, kind: part.list, err: error }, 'an entry of a list could not be recorded')
    if (!dryRun) onRecorded()
    return true
  }

  /** The site cannot be read now. An import of a person does not wait for credentials. */
  const block = async ({ number, daily }: PaymentImport, place: ListPlace, site: Site, lease: Lease) => {
    const since = blocked.get(`${number} ${site.id}`) ?? timer.now()
    blocked.set(`${number} ${site.id}`, since)
    const waits = daily ? timer.now() - since < LONGEST_BLOCKED_MS : !isRejected(site)
    return waits ? false : giveUp(number, place, isRejected(site) ? 'CREDENTIALS_REJECTED' : 'UNREADABLE', lease)
  }

  const failed = async (number: number, place: ListPlace | CheckPlace, error: unknown, lease: Lease) => {
    const count = (failures.get(keyOf(number, place)) ?? 0) + 1
    failures.set(keyOf(number, place), count)
    logger.warn({ count, err: error }, 'a page of an import could not be read or compared')
    const mayPass = !(error instanceof UpstreamFault) || error.kind === 'unknown'
    return !mayPass || count >= MOST_ATTEMPTS ? giveUp(number, place, problemOf(error), lease) : false
  }

  const giveUp = async (number: number, place: ListPlace | CheckPlace, problem: ImportProblem, lease: Lease) => {
    failures.delete(keyOf(number, place))
    await imports.giveUp(number, place, problem, lease)
    return true
  }

  const check = async ({ number, plan }: PaymentImport, place: CheckPlace, lease: Lease) => {
    const startedAt = timer.now()
    const [from, to] = [plan.from + MARGIN_MS, plan.to - MARGIN_MS]
    const absent = await imports.absent({ number, part: partAt(plan, place), place, from, to })
    await imports.recordAbsent(number, place, absent, lease)
    failures.delete(keyOf(number, place))
    await restAsLong(timer, startedAt)
    return true
  }

  /** Returns false if the lists of the site are done, or cannot be read now. */
  const step = async (current: PaymentImport, site: string, lease: Lease): Promise<boolean> => {
    const { number, plan } = current
    const place = current.places.find((one) => one.kind !== 'DONE' && partAt(plan, one).site === site)
    if (place === undefined || place.kind === 'DONE') return false
    try {
      return await (place.kind === 'CHECK' ? check(current, place, lease) : readPage(current, place, lease))
    } catch (error) {
      if (error instanceof LeaseLostError || isOutage(error)) throw error
      return failed(number, place, error, lease)
    }
  }

  const goOn = async (number: number, site: string, mayGoOn: () => boolean) => {
    while (mayGoOn()) {
      const current = await imports.byNumber(number)
      const lease = leader.lease()
      if (current === null || current.doneAt !== null || lease === null) return
      if (current.places.every(({ kind }) => kind === 'DONE')) return clear(number, mayGoOn)
      try {
        if (!(await step(current, site, lease))) return
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error
        return leader.lost(lease)
      }
    }
  }

  const clear = async (number: number, mayGoOn: () => boolean) => {
    let isDone = false
    while (!isDone && mayGoOn()) {
      const startedAt = timer.now()
      isDone = await imports.clear(number, clock())
      await restAsLong(timer, startedAt)
    }
    if (!isDone) return
    for (const { id } of sites.all) blocked.delete(`${number} ${id}`)
    logger.info({ kind: 'import' }, 'an import has finished')
  }

  const onFailed = (error: unknown) => logger.error({ err: error }, 'an import could not continue; retrying')

  const goOnWithAll = async (mayGoOn: () => boolean) => {
    for (const { number, plan } of await imports.running())
      for (const site of new Set(plan.parts.map((part) => part.site))) {
        const key = `${number} ${site}`
        if (working.has(key)) continue
        const going = goOn(number, site, mayGoOn)
          .catch(onFailed)
          .finally(() => working.delete(key))
        working.set(key, going)
      }
  }

  const work = (mayGoOn: () => boolean) =>
    runEach([...(isDaily ? [beginDaily] : []), () => goOnWithAll(mayGoOn)], onFailed)
  const task = startPeriodicTask({ everyMs: EVERY_MS, timer, mayRun: () => leader.lease() !== null, work })
  return {
    compare,
    run: task.run,
    async close() {
      await task.close()
      await Promise.all(working.values())
    },
  }
}

function keyOf(number: number, { part }: ListPlace | CheckPlace): string {
  return `${number} ${part}`
}

function problemOf(error: unknown): ImportProblem {
  if (!(error instanceof UpstreamFault)) return 'FAULT'
  const { kind } = error
  if (kind === 'credentials') return 'CREDENTIALS_REJECTED'
  return kind === 'refused' || kind === 'forbidden' ? 'REFUSED' : 'UNREADABLE'
}

/** Returns the lists of the named sites, or of all. Agreements are in AUD alone (docs/payments-api.md, section 4.1). */
export function importParts(sites: Sites, named: readonly string[] = []): ImportPart[] {
  const chosen = named.length === 0 ? sites.all : sites.all.filter(({ id }) => named.includes(id))
  return chosen.flatMap(({ id, currencies }) =>
    IMPORTED_LISTS.filter((list) => list !== 'AGREEMENTS' || currencies.includes('AUD')).map((list) => ({
      site: id,
      list,
    })),
  )
}

/** Finds a payment by an id that is not on record. */
export type PaymentFinder = {
  /**
   * Asks all sites for a payin, and for a link, with this id, each within its read budget. Returns null if no site has it, also for an id
   * that is none of the payments API. Rejects with an `UpstreamFault` if a site did not answer and no other one has it.
   */
  find(id: string): Promise<FoundPayment | null>
}

export type PaymentFinderOptions = ErasedPayersOptions & {
  readonly upstream: Pick<UpstreamClient, 'getPayin' | 'getPayinLink'>
  readonly sites: Sites
  readonly budget: ReadBudget
}

/** Creates the finder of payments that were made elsewhere. */
export function createPaymentFinder(options: PaymentFinderOptions): PaymentFinder {
  const { upstream, sites, budget } = options

  /** Returns null if the payments API refuses the id: it documents 400 and 422 beside 404 for one that it does not know. */
  const ask = async (site: Site, read: (site: Site) => Promise<PaymentReport>) => {
    const permit = await budget.acquire(site.id, 'person')
    try {
      const report = await read(site)
      permit.end(null)
      return report
    } catch (error) {
      permit.end(error)
      if (error instanceof UpstreamFault && isUnknown(error)) return null
      throw error
    }
  }

  const findAt = async (site: Site, id: string): Promise<FoundPayment | null> => {
    const payin = await ask(site, () => upstream.getPayin(site, id))
    const link = payin === null ? await ask(site, () => upstream.getPayinLink(site, id)) : null
    // The answer about a link need not name it: it was asked for by its id.
    const report = payin ?? (link === null ? null : { ...link, linkId: id })
    if (report === null) return null
    const [found] = await foundPayments(options, {
      site,
      isLink: payin === null,
      entries: [{ report, endpointUrl: null }],
    })
    return found ?? null
  }

  return {
    async find(id) {
      const answers = await Promise.allSettled(sites.all.map((site) => findAt(site, id)))
      for (const answer of answers) if (answer.status === 'fulfilled' && answer.value !== null) return answer.value
      for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
      return null
    },
  }
}

function isUnknown({ detail }: UpstreamFault): boolean {
  return detail.kind === 'refused' || (detail.kind === 'not-sent' && detail.reason === 'invalid-request')
}
