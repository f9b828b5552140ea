import { attributeRead } from '../domain/attribution.ts'
import type { PaymentReport } from '../domain/payment-report.ts'
import type { Logger } from '../log.ts'
import type { ReadOutcome, ReadStore, ReadSubject } from '../store/store.ts'

/** Asks the service what is true of one subject. Rejects when it does not answer. */
export type AskService = (subject: ReadSubject) => Promise<PaymentReport>

/** What a read of one subject came to. */
export type ReadResult =
  | { readonly kind: 'read'; readonly outcome: ReadOutcome }
  /** The answer was about something else, or the service did not answer: the error tells. */
  | { readonly kind: 'failed'; readonly error: unknown }

export type Reader = {
  /** Reads what is due, now and from now on, whenever something falls due. */
  wake(): void
  /** Reads one subject now, whether it is due or not. */
  read(subject: ReadSubject): Promise<ReadResult>
  /** Resolves when no read is under way or due. */
  idle(): Promise<void>
  close(): Promise<void>
}

export type ReaderOptions = {
  readonly reads: ReadStore
  readonly ask: AskService
  readonly logger: Logger
  readonly clock: () => Date
  /** Least time between two reads, so that the service is not flooded. */
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
 * Reads back what webhooks left in doubt: payments whose deliveries contradict each other, and links whose time is over.
 * What is due stands in the store, so that a restart forgets none of it. One read at a time, each subject once per round.
 */
export function createReader(options: ReaderOptions): Reader {
  const { reads, logger, clock } = options
  const paceMs = options.paceMs ?? PACE_MS
  let running: Promise<void> | null = null
  let again = false
  let closed = false
  let timer: NodeJS.Timeout | null = null
  let endPause: (() => void) | null = null

  const readOnce = async (subject: ReadSubject): Promise<ReadResult> => {
    try {
      const report = attributeRead(subject, await options.ask(subject))
      if (report === null) return { kind: 'failed', error: new MisattributedReadError() }
      return { kind: 'read', outcome: await reads.record(subject, report, clock()) }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  const read = async (subject: ReadSubject): Promise<ReadResult> => {
    let result = await readOnce(subject)
    for (let tries = 1; result.kind === 'read' && result.outcome === 'superseded' && tries < MAX_SUPERSEDED; tries++) {
      const fresh = await reads.subject(subject.paymentId ?? subject.link?.id ?? '')
      if (fresh === null) break
      result = await readOnce(fresh)
    }
    return result
  }

  const readDue = async (subject: ReadSubject) => {
    const result = await read(subject)
    if (result.kind === 'read') {
      logger.info({ paymentId: subject.paymentId, linkId: subject.link?.id, disposition: result.outcome }, 'read back')
      return
    }
    const wait = Math.min(RETRY_MS * 2 ** subject.failures, RETRY_MAX_MS)
    logger.warn({ paymentId: subject.paymentId, linkId: subject.link?.id, err: result.error }, 'read failed')
    await reads.postpone(subject, new Date(clock().getTime() + wait))
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
      for (const subject of await reads.due(clock(), BATCH)) {
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
      const next = closed ? null : await reads.nextDue()
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

/** The service answered a read with another payment. */
class MisattributedReadError extends Error {
  override name = 'MisattributedReadError'
  readonly safeMessage = true

  constructor() {
    super('The service answered a read with another payment.')
  }
}
