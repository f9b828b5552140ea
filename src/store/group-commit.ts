import { setImmediate, setTimeout } from 'node:timers/promises'
import { StoreBusyError, StoreClosedError } from './errors.ts'

/** How a transaction is run on the one connection that writes. Each may throw; only `rollback` must not. */
export type TransactionSteps = {
  begin(): void
  commit(): void
  rollback(): void
  /** Opens a savepoint; there is at most one at a time. */
  savepoint(): void
  /** Keeps what was done since the savepoint. */
  release(): void
  /** Undoes what was done since the savepoint, and ends it. */
  revert(): void
}

/** The same steps, which may also take their time. Jobs run one after the other either way. */
export type AsyncTransactionSteps = { readonly [Step in keyof TransactionSteps]: () => void | Promise<void> }

export type GroupCommitOptions<Unit> = {
  readonly steps: AsyncTransactionSteps
  /** Makes what a job works with: its connection, and whatever it wants to say to `committed`. */
  readonly newUnit: () => Unit
  /** Called after each commit with the units of the jobs that it holds, once their promises are resolved. */
  readonly committed: (units: readonly Unit[]) => void
  /** Turns an error of the database into the one that a caller is to see. */
  readonly toFailure: (error: unknown) => unknown
  /** Jobs that may wait; the next one is refused. Default 1,024. */
  readonly maxWaiting?: number
  /** Jobs of one commit. Default 256. */
  readonly maxBatch?: number
  /** Milliseconds after which a batch takes no further job, so that the event loop gets its turn. Default 20. */
  readonly maxBatchMs?: number
  /**
   * When a batch fails as a whole, jobs that have waited longer than these milliseconds fail with it, so that nobody waits
   * for one attempt after the other. Default: they wait.
   */
  readonly maxWaitMs?: number
  /**
   * For steps that hold up the event loop: the share of a slow batch's time for which the next one waits, and which it may
   * take. A webhook takes several turns of the loop before it is here, and when a sync costs two seconds all that wait
   * must share one. Default 0.
   */
  readonly slackShare?: number
}

export type GroupCommit<Unit> = {
  /**
   * Runs a job in a transaction that it shares with whoever writes at the same time, and resolves after the commit.
   * A job awaits nothing but the database. One that throws is undone alone, and only its promise rejects; when the
   * commit fails, every job of the batch rejects. Rejects with `StoreBusyError` or `StoreClosedError` without running.
   */
  write<Result>(job: (unit: Unit) => Promise<Result>): Promise<Result>
  /** Takes no more jobs, and resolves when those that wait have been committed. */
  close(): Promise<void>
}

const MAX_BATCH_MS = 20

/** Below it the last batch was fast, or is long over, and one turn of the event loop is enough. */
const MIN_REST_MS = 5

/** Lets concurrent writers share one commit, and so one wait for the disk. */
export function createGroupCommit<Unit>(options: GroupCommitOptions<Unit>): GroupCommit<Unit> {
  const { maxWaiting = 1024, maxBatchMs = MAX_BATCH_MS, slackShare = 0 } = options
  const queue: QueuedJob<Unit>[] = []
  let draining: Promise<void> | null = null
  let closed = false

  // Of the last batch, also when nobody waits at its end: those that come next were held up by it.
  let slackMs = 0
  let endedAt = 0

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const restMs = endedAt + slackMs - performance.now()
      // A turn of the event loop: whoever is about to write joins this batch, and sockets are served between batches.
      await (restMs < MIN_REST_MS ? setImmediate() : setTimeout(restMs))
      const startedAt = performance.now()
      await runBatch(queue, { ...options, maxBatchMs: Math.max(maxBatchMs, slackMs) })
      endedAt = performance.now()
      slackMs = (endedAt - startedAt) * slackShare
    }
    draining = null
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new StoreClosedError())
        if (queue.length >= maxWaiting) return reject(new StoreBusyError())
        queue.push({ ...asJob(work, resolve, reject), queuedAt: performance.now() })
        draining ??= drain()
      }),
    async close() {
      closed = true
      await draining
    },
  }
}

type Job<Unit> = {
  /** Does the work inside the transaction, and gives what resolves the caller's promise once it is committed. */
  run(unit: Unit): Promise<() => void>
  reject(error: unknown): void
}

type QueuedJob<Unit> = Job<Unit> & { readonly queuedAt: number }

type Done<Unit> = { readonly job: Job<Unit>; readonly unit: Unit; readonly resolve: () => void }

function asJob<Unit, Result>(
  work: (unit: Unit) => Promise<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Job<Unit> {
  return {
    async run(unit) {
      const result = await work(unit)
      return () => resolve(result)
    },
    reject,
  }
}

async function runBatch<Unit>(queue: QueuedJob<Unit>[], options: GroupCommitOptions<Unit>): Promise<void> {
  const { steps, toFailure } = options
  const taken: Job<Unit>[] = []
  let done: Done<Unit>[]
  try {
    await steps.begin()
    done = await runJobs(queue, taken, options)
    await steps.commit()
  } catch (error) {
    await steps.rollback()
    const failure = toFailure(error)
    // Without a transaction nothing has begun: the job at the head is refused, so that the queue gets shorter.
    if (taken.length === 0) taken.push(...queue.splice(0, options.maxBatch ?? MAX_BATCH))
    taken.push(...takeLate(queue, options.maxWaitMs))
    for (const job of taken) job.reject(failure)
    return
  }
  for (const { resolve } of done) resolve()
  options.committed(done.map(({ unit }) => unit))
}

const MAX_BATCH = 256

/** Takes out the jobs that have waited for too long: they stand in front. */
function takeLate<Unit>(queue: QueuedJob<Unit>[], maxWaitMs = Infinity): Job<Unit>[] {
  const latest = performance.now() - maxWaitMs
  const firstInTime = queue.findIndex(({ queuedAt }) => queuedAt >= latest)
  return queue.splice(0, firstInTime === -1 ? queue.length : firstInTime)
}

/** Runs jobs one after the other until the batch is full; `taken` names every job that has left the queue. */
async function runJobs<Unit>(
  queue: QueuedJob<Unit>[],
  taken: Job<Unit>[],
  options: GroupCommitOptions<Unit>,
): Promise<Done<Unit>[]> {
  const { maxBatch = MAX_BATCH, maxBatchMs = MAX_BATCH_MS } = options
  const deadline = performance.now() + maxBatchMs
  const done: Done<Unit>[] = []
  while (taken.length < maxBatch && (taken.length === 0 || performance.now() < deadline)) {
    const job = queue.shift()
    if (job === undefined) break
    taken.push(job)
    const outcome = await runJob(job, options)
    if (outcome !== null) done.push(outcome)
  }
  return done
}

/** Null for a job that threw and was undone. Throws when the whole transaction is lost. */
async function runJob<Unit>(job: Job<Unit>, options: GroupCommitOptions<Unit>): Promise<Done<Unit> | null> {
  const { steps, newUnit, toFailure } = options
  const unit = newUnit()
  await steps.savepoint()
  try {
    const resolve = await job.run(unit)
    await steps.release()
    return { job, unit, resolve }
  } catch (error) {
    await undo(steps, error)
    job.reject(toFailure(error))
    return null
  }
}

/** A full disk, among others, ends the transaction with the statement: then the savepoint is gone, and the batch with it. */
async function undo(steps: AsyncTransactionSteps, reason: unknown): Promise<void> {
  try {
    await steps.revert()
  } catch {
    throw reason
  }
}
