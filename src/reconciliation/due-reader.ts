import { readAfterFailure } from '../domain/reads/read-schedule.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { DueRead, Lease, ReadOutcome, ReadQueries } from '../store/port.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { ReadBudget, ReadPermit } from './read-budget.ts'
import { createSingleFlightReader, type Readable, type ReadResult } from './single-flight-reader.ts'
import type { HeldLease } from './upkeep.ts'

export type DueReader = {
  /** Starts reading what is due; call it whenever a read may have fallen due. */
  wake(): void
  /**
   * Reads one subject now, due or not, for a waiting caller. If the subject is being read already, returns the result of that
   * read.
   */
  read(readable: Readable): Promise<ReadResult>
  /** Resolves when no planned read is in progress and none can start now. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ReaderOptions = {
  readonly reads: Pick<ReadQueries, 'sites' | 'due'>
  /** Returns what is to be read; null if it does not exist any more. */
  readonly find: (due: DueRead) => Promise<Readable | null>
  /** Every site that a `Readable` may name. */
  readonly sites: readonly string[]
  /** Returns the site that reads what is planned under a key of `readSiteOf`. */
  readonly siteOf: (readSite: string) => string
  readonly budget: ReadBudget
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** The process with this lease makes the planned reads. */
  readonly leader: HeldLease
  /** Called after each call to the payments API. */
  readonly onRead: (outcome: ReadOutcome | 'failed') => void
}

/** How long reads pause after the store has failed. */
const STALLED_MS = 15_000
/** Time falls due what was planned for later; another process may plan a read; and this process may become the leader. */
const POLL_MS = 5_000
/** Due reads that are looked at: more than may be in progress at a time. */
const LOOKED_AT = 20

/**
 * Runs the reads that webhooks made necessary and those that are scheduled, of all kinds in one queue for each site, the most urgent first.
 * Due reads are stored, so a restart loses none. Sites are read in parallel, each within its own budget.
 */
export function createReader(options: ReaderOptions): DueReader {
  const { reads, find, sites, siteOf, budget, logger, clock, timer, leader } = options
  const asker = createSingleFlightReader(options)
  /** One worker per site at which a read may be due. */
  const workers = new Map<string, Promise<void>>()
  /** Sites at which a read may have fallen due since their worker looked. */
  const touched = new Set<string>()
  const underWay = new Set<Promise<void>>()
  let stalledUntil = Number.NEGATIVE_INFINITY
  let cancelWake = () => {}
  let closed = false

  const mayRead = (site: string) =>
    !closed && leader.lease() !== null && timer.now() >= stalledUntil && budget.heldMs(site) === 0

  const stall = (error: unknown) => {
    logger.error({ err: error }, 'planned reads failed')
    stalledUntil = timer.now() + STALLED_MS
  }

  /** Returns the most urgent due read of a site that is not in progress; null if there is none. */
  const nextDue = async (site: string): Promise<DueRead | null> => {
    const readSites = (await reads.sites()).filter((readSite) => siteOf(readSite) === site)
    const due = await reads.due({ readSites, by: clock(), limit: LOOKED_AT })
    return due.find(({ id }) => !asker.isAsking(id)) ?? null
  }

  /** Returns what is to be read next. The plan may have changed since it was looked at: then it is null, and the worker looks again. */
  const nextReadable = async (site: string): Promise<Readable | null> => {
    const next = await nextDue(site)
    const found = next === null ? null : await find(next)
    const isDue = found !== null && found.dueAt !== null && found.dueAt <= clock()
    return isDue && !asker.isAsking(found.key) ? found : null
  }

  const readPlanned = async (readable: Readable, permit: ReadPermit, lease: Lease) => {
    const { result, trouble } = await asker.ask(readable, permit, lease)
    const { ids } = readable
    if (result.kind === 'read') {
      const told = { ...ids, disposition: result.outcome }
      if (result.outcome === 'fruitless') logger.warn(told, 'read without a usable answer')
      else logger.info(told, 'read back')
    } else if (result.error instanceof LeaseLostError) {
      leader.lost(lease)
    } else if (trouble !== null && !trouble.mayBeItsOwn) {
      logger.debug({ ...ids, err: result.error }, 'read postponed: its site is paused')
    } else {
      logger.warn({ ...ids, err: result.error }, 'read failed')
      const retryAt = readAfterFailure(clock().getTime(), readable.failures)
      await readable.postpone(retryAt === null ? null : new Date(retryAt), lease)
    }
  }

  const begin = (site: string, readable: Readable, permit: ReadPermit, lease: Lease) => {
    const reading = readPlanned(readable, permit, lease)
      .catch((error: unknown) => {
        if (error instanceof LeaseLostError) leader.lost(lease)
        else stall(error)
      })
      .finally(() => {
        underWay.delete(reading)
        // It stays due if a webhook overtook the answer; and its result may have planned another read.
        start(site)
      })
    underWay.add(reading)
  }

  /** Waits for a permit, and reads then what is most urgent by that time. Returns false if the site may not be read now. */
  const readNext = async (site: string): Promise<boolean> => {
    const permit = await budget.acquire(site, 'planned')
    if (permit === null) return false
    try {
      const readable = mayRead(site) ? await nextReadable(site) : null
      const lease = leader.lease()
      if (readable !== null && lease !== null) begin(site, readable, permit, lease)
      else permit.cancel()
    } catch (error) {
      permit.cancel()
      throw error
    }
    return true
  }

  /** Reads what is due at a site, one after the other, until nothing is or no read is allowed. */
  const work = async (site: string) => {
    while (mayRead(site)) {
      touched.delete(site)
      const isDue = (await nextDue(site)) !== null
      if (isDue ? !(await readNext(site)) : !touched.has(site)) return
    }
  }

  const start = (site: string) => {
    touched.add(site)
    if (closed || workers.has(site)) return
    const working = work(site)
      .catch(stall)
      .finally(() => {
        workers.delete(site)
        if (touched.has(site) && mayRead(site)) start(site)
      })
    workers.set(site, working)
  }

  const wake = () => {
    if (closed) return
    cancelWake()
    cancelWake = timer.after(POLL_MS, wake)
    for (const site of sites) start(site)
  }

  return {
    wake,
    read: asker.read,
    async idle() {
      while (workers.size > 0 || underWay.size > 0) await Promise.all([...workers.values(), ...underWay])
    },
    async close() {
      closed = true
      cancelWake()
      await Promise.all([...workers.values(), ...underWay])
    },
  }
}
