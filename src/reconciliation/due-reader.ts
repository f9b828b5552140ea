import { READ_CLASSES, readAfterFailure } from '../domain/reads/read-schedule.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger, LogFields } from '../observability/logger.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { Lease, ReadOutcome } from '../store/store.ts'
import type { ReadBudget, ReadPermit } from './read-budget.ts'
import {
  createDueQueue,
  type DueSource,
  dueQueueId,
  type DueQueueKey,
  type SingleFlightReader,
  createSingleFlightReader,
  type ReadResult,
} from './single-flight-reader.ts'
import type { HeldLease } from './upkeep.ts'

/** Where due subjects come from, and how each is read. */
export type ReadSource<Subject> = DueSource<Subject> & {
  /** Time of the earliest planned read, past or future; null if none is planned. */
  nextDue(): Promise<Date | null>
  /**
   * Reads a subject from the payments API and records the result. Rejects if the call fails or if the answer is about another
   * subject.
   */
  ask(subject: Subject): Promise<ReadOutcome>
  /**
   * The same for a planned read, which may also cover neighbouring subjects by reading a list page. Rejects with `LeaseLostError` if
   * the lease is not the current one.
   */
  askPlanned(subject: Subject, lease: Lease): Promise<ReadOutcome>
  /**
   * Resolves when no list page is being read that may cover the subject: before that, a permit for a planned read would be used without a
   * call.
   */
  uncovered(subject: Subject): Promise<void>
  /** Records that a planned read gave no result, and when to try again; null for never. Lease as for `askPlanned`. */
  postpone(subject: Subject, until: Date | null, lease: Lease): Promise<void>
  /** Failed or fruitless reads in a row. */
  failures(subject: Subject): number
  /** Unique key of the subject. */
  key(subject: Subject): string
  /** Fields that may be logged about a subject. */
  ids(subject: Subject): LogFields
}

export type DueReader<Subject> = {
  /** Starts reading what is due; call it whenever a read may have fallen due. */
  wake(): void
  /**
   * Reads one subject now, due or not, for a waiting caller. If the subject is being read already, returns the result of that
   * read.
   */
  read(subject: Subject): Promise<ReadResult>
  /** Resolves when no planned read is in progress and none can start now. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ReaderOptions<Subject> = {
  readonly source: ReadSource<Subject>
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
/** Polling interval: another process may plan a read, or this process may become the leader. */
const POLL_MS = 5_000
/** Retry delay for due subjects that were skipped because they were being read for a caller. */
const SOON_MS = 50

/**
 * Runs the reads that webhooks made necessary and those that are scheduled. Due reads are stored, so a restart loses none. Sites
 * are read in parallel, each within its own budget, in which the most urgent class comes first.
 */
export function createReader<Subject>(options: ReaderOptions<Subject>): DueReader<Subject> {
  const { source, budget, logger, clock, timer, leader } = options
  const reads: SingleFlightReader<Subject> = createSingleFlightReader(options)
  /** Keys of the subjects of planned reads that wait for their permit or are in progress. */
  const taken = new Set<string>()
  /** One worker per site and class in which a read may be due. */
  const workers = new Map<string, Promise<void>>()
  const underWay = new Set<Promise<void>>()
  let stalledUntil = Number.NEGATIVE_INFINITY
  let cancelWake: (() => void) | null = null
  let closed = false

  const queue = createDueQueue<Subject>({
    source,
    clock,
    isWanted: (subject) => !taken.has(source.key(subject)) && !reads.isAsking(subject),
  })

  const mayRead = (site: string) => !closed && leader.lease() !== null && !isStalled() && budget.heldMs(site) === 0
  const isStalled = () => timer.now() < stalledUntil

  /** Another process reads now, or the store cannot record results, so no reads are made for a while. */
  const stop = (error: unknown, lease: Lease) => {
    if (error instanceof LeaseLostError) leader.lost(lease)
    else stall(error)
  }
  const stall = (error: unknown) => {
    logger.error({ err: error }, 'the plan of reads could not be followed')
    stalledUntil = timer.now() + STALLED_MS
  }

  /** A subject that stays due (a webhook overtook the answer, or its site is in trouble) is queued again. */
  const readPlanned = async (subject: Subject, permit: ReadPermit, lease: Lease) => {
    const { result, trouble } = await reads.ask(subject, permit, lease)
    const ids = source.ids(subject)
    if (result.kind === 'read') {
      const told = { ...ids, disposition: result.outcome }
      if (result.outcome === 'fruitless') logger.warn(told, 'read told nothing')
      else logger.info(told, 'read back')
    } else if (result.error instanceof LeaseLostError) {
      throw result.error
    } else if (trouble !== null && !trouble.mayBeItsOwn) {
      logger.debug({ ...ids, err: result.error }, 'read put off together with its site')
    } else {
      logger.warn({ ...ids, err: result.error }, 'read failed')
      const retryAt = readAfterFailure(clock().getTime(), source.failures(subject))
      await source.postpone(subject, retryAt === null ? null : new Date(retryAt), lease)
    }
  }

  /** Starts the read of a subject when it gets its permit, unless it is no longer due by then. */
  const readWithPermit = async (queueKey: DueQueueKey, subject: Subject) => {
    await source.uncovered(subject)
    const permit = await budget.acquire(queueKey.site, queueKey.readClass)
    if (permit === null) return
    const fresh = mayRead(queueKey.site) ? await queue.stillDue(subject) : null
    const lease = leader.lease()
    if (fresh === null || lease === null) return permit.cancel()
    const key = source.key(fresh)
    taken.add(key)
    const reading = readPlanned(fresh, permit, lease)
      .catch((error: unknown) => stop(error, lease))
      .finally(() => {
        taken.delete(key)
        underWay.delete(reading)
        // The result may have planned another read, of the same class or of class `doubt`.
        touch(queueKey)
        touch({ ...queueKey, readClass: 'doubt' })
      })
    underWay.add(reading)
  }

  /** Reads the due subjects of a site and class one after the other, until none is due or no read is allowed. */
  const work = async (queueKey: DueQueueKey) => {
    while (mayRead(queueKey.site)) {
      const subject = await queue.next(queueKey)
      if (subject !== null) await readWithPermit(queueKey, subject)
      else if (!queue.isOpen(queueKey)) {
        // Removed here, not when the promise ends, so that a wake-up finds the worker either still looking for subjects or
        // removed.
        workers.delete(dueQueueId(queueKey))
        return
      }
    }
    queue.reset(queueKey)
  }

  const start = (queueKey: DueQueueKey) => {
    const key = dueQueueId(queueKey)
    if (workers.has(key)) return
    const working = work(queueKey)
      .catch(stall)
      .finally(() => {
        if (workers.get(key) === working) workers.delete(key)
        void plan()
      })
    workers.set(key, working)
  }

  const touch = (queueKey: DueQueueKey) => {
    queue.touch(queueKey)
    start(queueKey)
  }

  const wake = () => {
    if (closed) return
    for (const site of source.sites) for (const readClass of READ_CLASSES) touch({ site, readClass })
  }

  /** Schedules the next wake-up for when something can be read again. */
  const plan = async () => {
    if (closed || workers.size > 0) return
    const waits = await waitsForMore().catch((error: unknown) => {
      stall(error)
      return []
    })
    if (closed || workers.size > 0) return
    cancelWake?.()
    cancelWake = timer.after(Math.min(...waits, POLL_MS), wake)
  }

  const waitsForMore = async (): Promise<number[]> => {
    const next = leader.lease() !== null ? await source.nextDue() : null
    const held = source.sites.map((site) => budget.heldMs(site)).filter((milliseconds) => milliseconds > 0)
    if (next === null) return held
    const untilDue = next.getTime() - clock().getTime()
    if (untilDue > 0) return [...held, untilDue]
    return held.length > 0 || isStalled() ? held : [SOON_MS]
  }

  return {
    wake,
    read: reads.read,
    async idle() {
      while (workers.size > 0 || underWay.size > 0) await Promise.all([...workers.values(), ...underWay])
    },
    async close() {
      closed = true
      queue.close()
      cancelWake?.()
      await Promise.all([...workers.values(), ...underWay])
    },
  }
}
