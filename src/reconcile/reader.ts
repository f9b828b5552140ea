import type { Logger, LogFields } from '../log.ts'
import type { ReadOutcome } from '../store/store.ts'

/** Where a reader finds what to read, and how each subject is read. */
export type ReadSource<Subject> = {
  /** Subjects whose read is due, longest due first. */
  due(now: Date, limit: number): Promise<readonly Subject[]>
  /** Instant of the next read that is due at any time; null when none is planned. */
  nextDue(): Promise<Date | null>
  /** Asks the service about a subject and records what it says. Rejects when it does not answer, or with another's. */
  ask(subject: Subject): Promise<ReadOutcome>
  /** The subject as it is now; null when it is gone. */
  again(subject: Subject): Promise<Subject | null>
  /** Records that a read told nothing, and when to try again. */
  postpone(subject: Subject, until: Date): Promise<void>
  /** Failed or fruitless reads in a row. */
  failures(subject: Subject): number
  /** What a log line may say of a subject. */
  ids(subject: Subject): LogFields
}

/** What a read of one subject came to; `error` tells why there was no answer to record. */
export type ReadResult =
  | { readonly kind: 'read'; readonly outcome: ReadOutcome }
  | { readonly kind: 'failed'; readonly error: unknown }

export type Reader<Subject> = {
  /** Reads what is due, now and from now on, whenever something falls due. */
  wake(): void
  /** Reads one subject now, whether it is due or not. */
  read(subject: Subject): Promise<ReadResult>
  /** Resolves when no read is under way or due. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ReaderOptions<Subject> = {
  readonly source: ReadSource<Subject>
  readonly logger: Logger
  readonly clock: () => Date
  /** Least time between two reads, in milliseconds, so that the service is not flooded. */
  readonly paceMs?: number
}

const PACE_MS = 500
/** First wait after a fruitless read; doubles with each further one. */
const RETRY_MS = 15_000
const RETRY_MAX_MS = 6 * 3_600_000
const BATCH = 20
/** A timer above this fires at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** How often a read is made again because a webhook came in while it was under way. */
const MAX_SUPERSEDED = 3

/**
 * Reads back what webhooks left in doubt.
 * What is due stands in the store, so that a restart forgets none of it. One read at a time, each subject once per round.
 */
export function createReader<Subject>(options: ReaderOptions<Subject>): Reader<Subject> {
  const { source, logger, clock } = options
  const paceMs = options.paceMs ?? PACE_MS
  let running: Promise<void> | null = null
  let again = false
  let closed = false
  let timer: NodeJS.Timeout | null = null
  let endPause: (() => void) | null = null

  const readOnce = async (subject: Subject): Promise<ReadResult> => {
    try {
      return { kind: 'read', outcome: await source.ask(subject) }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  const read = async (subject: Subject): Promise<ReadResult> => {
    let result = await readOnce(subject)
    for (let tries = 1; result.kind === 'read' && result.outcome === 'superseded' && tries < MAX_SUPERSEDED; tries++) {
      const fresh = await source.again(subject)
      if (fresh === null) break
      result = await readOnce(fresh)
    }
    return result
  }

  const readDue = async (subject: Subject) => {
    const result = await read(subject)
    if (result.kind === 'read') {
      const told = { ...source.ids(subject), disposition: result.outcome }
      if (result.outcome === 'fruitless') logger.warn(told, 'read told nothing')
      else logger.info(told, 'read back')
      return
    }
    const wait = Math.min(RETRY_MS * 2 ** source.failures(subject), RETRY_MAX_MS)
    logger.warn({ ...source.ids(subject), err: result.error }, 'read failed')
    await source.postpone(subject, new Date(clock().getTime() + wait))
  }

  const pause = async () => {
    if (closed) return
    await new Promise<void>((resolve) => {
      endPause = resolve
      setTimeout(resolve, paceMs).unref()
    })
  }

  const round = async () => {
    do {
      again = false
      for (const subject of await source.due(clock(), BATCH)) {
        if (closed) return
        await readDue(subject)
        await pause()
        again = true
      }
    } while (again && !closed)
  }

  const wakeAfter = (milliseconds: number) => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(wake, milliseconds)
    timer.unref()
  }

  const plan = async () => {
    try {
      const next = closed ? null : await source.nextDue()
      if (next === null || closed) return
      wakeAfter(Math.min(Math.max(next.getTime() - clock().getTime(), paceMs), LONGEST_TIMER_MS))
    } catch (error) {
      logger.error({ err: error }, 'the next read could not be planned')
      // Nobody else may come to wake it, and what is due stays due.
      if (!closed) wakeAfter(RETRY_MS)
    }
  }

  const wake = () => {
    again = true
    if (closed || running !== null) return
    running = round()
      .catch((error: unknown) => logger.error({ err: error }, 'the plan of reads could not be followed'))
      .finally(() => {
        running = null
        void plan()
      })
  }

  return {
    wake,
    read,
    async idle() {
      while (running !== null) await running
    },
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      endPause?.()
      await running
    },
  }
}

/** The service answered a read with another payment or agreement. */
export class MisattributedReadError extends Error {
  override name = 'MisattributedReadError'
  readonly safeMessage = true

  constructor() {
    super('The service answered a read with something else.')
  }
}
