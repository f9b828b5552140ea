import { setImmediate, setTimeout } from 'node:timers/promises'
import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import { type DecisionOnRows, decideAll, type DecisionResult, type Transaction } from './decide.ts'
import { StoreBusyError, StoreClosedError, StoreFailure } from './store-errors.ts'

/** How a transaction is run on the one connection that writes. Each may throw; only `rollback` must not. */
export type TransactionSteps = {
  begin(): void
  commit(): void
  rollback(): void
}

/** The same steps, which may also take their time. Transactions run one after the other either way. */
export type AsyncTransactionSteps = { readonly [Step in keyof TransactionSteps]: () => void | Promise<void> }

export type GroupCommitOptions = {
  readonly steps: AsyncTransactionSteps
  /** What happens between `begin` and `commit`. */
  readonly transaction: Transaction
  /** Called with the events that a commit has appended, once the promises of its jobs are resolved. */
  readonly onAppended: (events: readonly PaymentEvent[]) => void
  /** Called after each commit; the next transaction waits for what it gives. */
  readonly onCommitted?: () => void | Promise<void>
  /** Turns an error of the database into the one that a caller is to see. */
  readonly toFailure: (error: unknown) => unknown
  /** Whether the same transaction is likely to work when it is run again. Default: never. */
  readonly isTransient?: (error: unknown) => boolean
  /** Jobs that may wait; the next one is refused. Default 1,024. */
  readonly maxWaiting?: number
  /** Decisions of one commit. Default 256. */
  readonly maxBatch?: number
  /**
   * The same while commits are fast, for steps that hold up the event loop: other requests are served between two commits.
   * Default: as `maxBatch`.
   */
  readonly maxFastBatch?: number
  /**
   * When a transaction fails, jobs that have waited longer than these milliseconds fail with it, so that nobody waits for
   * one attempt after the other. Default: they wait.
   */
  readonly maxWaitMs?: number
  /**
   * The share of a slow transaction's time for which the next one waits. Who is answered at the end of one often sends again at
   * once, a few turns of the event loop later, and would otherwise wait for the next transaction and for one of its own.
   * Default 0.
   */
  readonly slackShare?: number
}

export type GroupCommit = {
  /**
   * Makes a decision in a transaction that it shares with those that come at the same time, and resolves after the commit.
   * One that throws has changed nothing, and only its promise rejects; so does one whose rows the database refuses.
   * When the commit fails, every decision of the transaction rejects. Rejects with `StoreBusyError` or `StoreClosedError`
   * without deciding.
   */
  decide<Result>(decision: DecisionOnRows<Result>): Promise<Result>
  /** Runs statements in a transaction of their own. */
  exclusively<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** Waits for the jobs that have been accepted; later ones are refused. */
  close(): Promise<void>
}

/** Milliseconds; where less is left of the rest, one turn of the event loop is enough. */
const MIN_REST_MS = 5

const MAX_BATCH = 256
/** From here on waiting for the disk is most of a transaction, in milliseconds. */
const SLOW_MS = 100
const ATTEMPTS = 3

type Job = {
  /** Either of both. */
  readonly decision: DecisionOnRows<unknown> | null
  readonly work: ((transaction: Transaction) => Promise<unknown>) | null
  readonly queuedAt: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Lets concurrent writers share one transaction, and so one wait for the disk. */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { maxWaiting = 1024, maxBatch = MAX_BATCH, maxFastBatch = maxBatch, slackShare = 0 } = options
  const queue: Job[] = []
  let draining: Promise<void> | null = null
  let closed = false

  // Of the last transaction, also when the queue is empty at its end: the jobs that come next were held up by it.
  let tookMs = 0
  let endedAt = 0

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const restMs = tookMs * slackShare - Math.max(performance.now() - endedAt, 0)
      // A turn of the event loop: writers that are about to come join this transaction, and sockets are served in between.
      await (restMs < MIN_REST_MS ? setImmediate() : setTimeout(restMs))
      const startedAt = performance.now()
      await run(takeBatch(queue, tookMs < SLOW_MS ? maxFastBatch : maxBatch))
      endedAt = performance.now()
      tookMs = endedAt - startedAt
    }
    draining = null
  }

  async function run(jobs: readonly Job[], attempt = 1): Promise<void> {
    const end = await runTransaction(jobs, options)
    if ('outcomes' in end) {
      for (const [index, job] of jobs.entries()) settle(job, end.outcomes[index])
      if (end.appended.length > 0) options.onAppended(end.appended)
      await options.onCommitted?.()
    } else if (attempt < ATTEMPTS && options.isTransient?.(end.failure) === true) await run(jobs, attempt + 1)
    else if (end.byStatement && jobs.length > 1) await runEach(jobs, end.failure)
    else for (const job of [...jobs, ...takeLate(queue, options.maxWaitMs)]) job.reject(end.failure)
  }

  /** The database refused what one of them is to write: the others must not fail with it. */
  async function runEach(jobs: readonly Job[], failure: unknown): Promise<void> {
    for (const job of jobs) {
      await setImmediate()
      if (isLate(job, options.maxWaitMs)) job.reject(failure)
      else await run([job])
    }
  }

  const enqueue = (job: Omit<Job, 'queuedAt'>): void => {
    if (closed) return job.reject(new StoreClosedError())
    if (queue.length >= maxWaiting) return job.reject(new StoreBusyError())
    queue.push({ ...job, queuedAt: performance.now() })
    draining ??= drain()
  }

  const queued = <Result>(job: Pick<Job, 'decision' | 'work'>) =>
    new Promise<Result>((resolve, reject) => {
      enqueue({ ...job, resolve: (result) => resolve(result as Result), reject })
    })

  return {
    decide: (decision) => queued({ decision, work: null }),
    exclusively: (work) => queued({ decision: null, work }),
    async close() {
      closed = true
      await draining
    },
  }
}

/** The decisions at the head of the queue, or the one job there that has a transaction of its own. */
function takeBatch(queue: Job[], maxBatch: number): Job[] {
  const end = queue.findIndex(({ decision }) => decision === null)
  const decisions = end === -1 ? queue.length : end
  return queue.splice(0, Math.max(1, Math.min(decisions, maxBatch)))
}

function isLate({ queuedAt }: Job, maxWaitMs = Infinity): boolean {
  return performance.now() - queuedAt > maxWaitMs
}

/** Takes out the jobs that have waited for too long: the first ones of the queue. */
function takeLate(queue: Job[], maxWaitMs?: number): Job[] {
  const firstInTime = queue.findIndex((job) => !isLate(job, maxWaitMs))
  return queue.splice(0, firstInTime === -1 ? queue.length : firstInTime)
}

type End =
  | { readonly outcomes: readonly DecisionResult[]; readonly appended: readonly PaymentEvent[] }
  /** `byStatement`: the database refused a statement, and can be asked again. */
  | { readonly failure: unknown; readonly byStatement: boolean }

async function runTransaction(
  jobs: readonly Job[],
  { steps, transaction, toFailure }: GroupCommitOptions,
): Promise<End> {
  let byStatement = false
  try {
    await steps.begin()
    byStatement = true
    const decided = await runJobs(jobs, transaction)
    byStatement = false
    await steps.commit()
    return decided
  } catch (error) {
    await steps.rollback()
    const failure = toFailure(error)
    const isDown = failure instanceof StoreFailure && failure.reason === 'DOWN'
    return { failure, byStatement: byStatement && !isDown }
  }
}

async function runJobs(jobs: readonly Job[], transaction: Transaction) {
  const [first] = jobs
  if (first?.work != null) return { outcomes: [{ result: await first.work(transaction) }], appended: [] }
  return decideAll(
    transaction,
    jobs.flatMap(({ decision }) => decision ?? []),
  )
}

function settle(job: Job, outcome: DecisionResult | undefined): void {
  if (outcome !== undefined && 'result' in outcome) job.resolve(outcome.result)
  else job.reject(outcome?.error)
}
