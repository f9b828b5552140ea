import type { Logger, LogFields } from '../log.ts'
import type { ReadOutcome } from '../store/store.ts'
import { type Asker, createAsker, type ReadResult } from './asker.ts'
import { createDueQueue, type DueSource } from './due-queue.ts'
import type { ReadBudget, Turn } from './read-budget.ts'
import type { Timer } from './timer.ts'

/** Where a reader finds what to read, and how each subject is read. */
export type ReadSource<Subject> = DueSource<Subject> & {
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** Asks the service about a subject and records what it says. Rejects when it does not answer, or with another's. */
  ask(subject: Subject): Promise<ReadOutcome>
  /** Records that a read told nothing, and when to try again. */
  postpone(subject: Subject, until: Date): Promise<void>
  /** Failed or fruitless reads in a row. */
  failures(subject: Subject): number
  /** Tells subjects apart. */
  key(subject: Subject): string
  /** What a log line may say of a subject. */
  ids(subject: Subject): LogFields
}

export type Reader<Subject> = {
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
  /** Called after each time that the service was asked. */
  readonly onRead: (outcome: ReadOutcome | 'failed') => void
}

/** First wait after a fruitless read; doubles with each further one. */
const RETRY_MS = 15_000
const RETRY_MAX_MS = 6 * 3_600_000
/** Another process may plan a read, or this one may become the one that makes them: looked at that often. */
const POLL_MS = 5_000
/** What is due, and was not taken: it was being read for somebody else. */
const SOON_MS = 50

/**
 * Reads back what webhooks left in doubt, and what is due by plan. What is due stands in the store, so that a restart
 * forgets none of it. Sites are read side by side, each within its budget and longest due first.
 */
export function createReader<Subject>(options: ReaderOptions<Subject>): Reader<Subject> {
  const { source, budget, logger, clock, timer, isLeader } = options
  const asker: Asker<Subject> = createAsker(options)
  /** Keys of what waits for its turn, or is being read, by plan. */
  const taken = new Set<string>()
  /** One for each site of which something may be due. */
  const workers = new Map<string, Promise<void>>()
  const underWay = new Set<Promise<void>>()
  let stalledUntil = Number.NEGATIVE_INFINITY
  let cancelWake: (() => void) | null = null
  let closed = false

  const queue = createDueQueue<Subject>({
    source,
    clock,
    timer,
    isWanted: (subject) => !taken.has(source.key(subject)) && !asker.isAsking(subject),
  })

  const mayRead = (site: string) => !closed && isLeader() && !isStalled() && budget.heldMs(site) === 0
  const isStalled = () => timer.now() < stalledUntil

  /** The store does not keep what is learnt, so nothing is asked for a while. */
  const stall = (error: unknown) => {
    logger.error({ err: error }, 'the plan of reads could not be followed')
    stalledUntil = timer.now() + RETRY_MS
  }

  /** What is left due (a webhook overtook the answer, or its site is in trouble) is taken again in its turn. */
  const readPlanned = async (subject: Subject, turn: Turn) => {
    const { result, trouble } = await asker.ask(subject, turn)
    const ids = source.ids(subject)
    if (result.kind === 'read') {
      const told = { ...ids, disposition: result.outcome }
      if (result.outcome === 'fruitless') logger.warn(told, 'read told nothing')
      else logger.info(told, 'read back')
    } else if (trouble !== null && !trouble.mayBeItsOwn) {
      logger.debug({ ...ids, err: result.error }, 'read put off together with its site')
    } else {
      const wait = Math.min(RETRY_MS * 2 ** source.failures(subject), RETRY_MAX_MS)
      logger.warn({ ...ids, err: result.error }, 'read failed')
      await source.postpone(subject, new Date(clock().getTime() + wait))
    }
  }

  /** Begins the read of a subject when it is its turn, unless it is not due any more by then. */
  const readInTurn = async (site: string, subject: Subject) => {
    const turn = await budget.turn(site, 'plan')
    if (turn === null) return
    const fresh = mayRead(site) ? await queue.stillDue(subject) : null
    if (fresh === null) return turn.cancel()
    const key = source.key(fresh)
    taken.add(key)
    const reading = readPlanned(fresh, turn)
      .catch(stall)
      .finally(() => {
        taken.delete(key)
        underWay.delete(reading)
        queue.touch(site)
        start(site)
      })
    underWay.add(reading)
  }

  /** Takes one due subject of a site after the other, until none is due, or none may be read. */
  const work = async (site: string) => {
    while (mayRead(site)) {
      const subject = await queue.next(site)
      if (subject !== null) await readInTurn(site, subject)
      else if (!queue.isOpen(site)) {
        // Gone from here on, not when the promise ends: whoever wakes the reader finds the worker either looking, or gone.
        workers.delete(site)
        return
      }
    }
  }

  const start = (site: string) => {
    if (workers.has(site)) return
    const working = work(site)
      .catch(stall)
      .finally(() => {
        if (workers.get(site) === working) workers.delete(site)
        void plan()
      })
    workers.set(site, working)
  }

  const wake = () => {
    if (closed) return
    queue.touch()
    for (const site of source.sites) start(site)
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
    read: asker.read,
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
