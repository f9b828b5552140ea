import { READ_CLASSES, readAfterFailure } from '../domain/reads/read-schedule.ts'
import type { Timer } from '../lib/timer.ts'
import type { Logger, LogFields } from '../observability/logger.ts'
import type { ReadOutcome } from '../store/store.ts'
import { createDueQueue, type DueSource, dueQueueId, type DueQueueKey } from './due-queue.ts'
import type { ReadBudget, Turn } from './read-budget.ts'
import { type SingleFlightReader, createSingleFlightReader, type ReadResult } from './single-flight-reader.ts'

/** Where a reader finds what to read, and how each subject is read. */
export type ReadSource<Subject> = DueSource<Subject> & {
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** Asks the payments API about a subject and records what it says. Rejects when it does not answer, or with another's. */
  ask(subject: Subject): Promise<ReadOutcome>
  /** The same for a planned read, which may stand for reads of its neighbours. */
  askPlanned(subject: Subject): Promise<ReadOutcome>
  /** Records that a read told nothing, and when to try again; null for never. */
  postpone(subject: Subject, until: Date | null): Promise<void>
  /** Failed or fruitless reads in a row. */
  failures(subject: Subject): number
  /** Tells subjects apart. */
  key(subject: Subject): string
  /** What a log line may say of a subject. */
  ids(subject: Subject): LogFields
}

export type DueReader<Subject> = {
  /** Reads what is due, now and from now on, whenever something falls due. */
  wake(): void
  /**
   * Reads one subject now, whether it is due or not, for somebody who waits. One that is being read already is not read a
   * second time: both get its answer.
   */
  read(subject: Subject): Promise<ReadResult>
  /** Resolves when no planned read is under way, and none can be made now. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ReaderOptions<Subject> = {
  readonly source: ReadSource<Subject>
  readonly budget: ReadBudget
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether planned reads are this process's to make. */
  readonly isLeader: () => boolean
  /** Called after each time that the payments API was asked. */
  readonly onRead: (outcome: ReadOutcome | 'failed') => void
}

/** How long nothing is read after the store has failed. */
const STALLED_MS = 15_000
/** Another process may plan a read, or this one may become the one that makes them: looked at that often. */
const POLL_MS = 5_000
/** What is due, and was not taken: it was being read for somebody else. */
const SOON_MS = 50

/**
 * Reads back what webhooks left in doubt, and what is due by plan. What is due stands in the store, so that a restart
 * forgets none of it. Sites are read side by side, each within its budget, which goes to the most urgent class first.
 */
export function createReader<Subject>(options: ReaderOptions<Subject>): DueReader<Subject> {
  const { source, budget, logger, clock, timer, isLeader } = options
  const reads: SingleFlightReader<Subject> = createSingleFlightReader(options)
  /** Keys of what waits for its turn, or is being read, by plan. */
  const taken = new Set<string>()
  /** One for each site and class in which something may be due. */
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

  const mayRead = (site: string) => !closed && isLeader() && !isStalled() && budget.heldMs(site) === 0
  const isStalled = () => timer.now() < stalledUntil

  /** The store does not keep what is learnt, so nothing is asked for a while. */
  const stall = (error: unknown) => {
    logger.error({ err: error }, 'the plan of reads could not be followed')
    stalledUntil = timer.now() + STALLED_MS
  }

  /** What is left due (a webhook overtook the answer, or its site is in trouble) is taken again in its turn. */
  const readPlanned = async (subject: Subject, turn: Turn) => {
    const { result, trouble } = await reads.ask(subject, turn)
    const ids = source.ids(subject)
    if (result.kind === 'read') {
      const told = { ...ids, disposition: result.outcome }
      if (result.outcome === 'fruitless') logger.warn(told, 'read told nothing')
      else logger.info(told, 'read back')
    } else if (trouble !== null && !trouble.mayBeItsOwn) {
      logger.debug({ ...ids, err: result.error }, 'read put off together with its site')
    } else {
      logger.warn({ ...ids, err: result.error }, 'read failed')
      const retryAt = readAfterFailure(clock().getTime(), source.failures(subject))
      await source.postpone(subject, retryAt === null ? null : new Date(retryAt))
    }
  }

  /** Begins the read of a subject when it is its turn, unless it is not due any more by then. */
  const readInTurn = async (queueKey: DueQueueKey, subject: Subject) => {
    const turn = await budget.turn(queueKey.site, queueKey.readClass)
    if (turn === null) return
    const fresh = mayRead(queueKey.site) ? await queue.stillDue(subject) : null
    if (fresh === null) return turn.cancel()
    const key = source.key(fresh)
    taken.add(key)
    const reading = readPlanned(fresh, turn)
      .catch(stall)
      .finally(() => {
        taken.delete(key)
        underWay.delete(reading)
        // What was learnt may have planned another read: again of its class, or of a doubt.
        touch(queueKey)
        touch({ ...queueKey, readClass: 'doubt' })
      })
    underWay.add(reading)
  }

  /** Takes one due subject of a site and class after the other, until none is due, or none may be read. */
  const work = async (queueKey: DueQueueKey) => {
    while (mayRead(queueKey.site)) {
      const subject = await queue.next(queueKey)
      if (subject !== null) await readInTurn(queueKey, subject)
      else if (!queue.isOpen(queueKey)) {
        // Removed here, not when the promise ends: a wake-up finds the worker either looking, or removed.
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

  /** Sees to it that the reader is woken when something can be read again. */
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
    const next = isLeader() ? await source.nextDue() : null
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
