import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { PaymentEvent } from '../domain/events/payment-event.ts'
import { type Change, type Load, type RecentRowsOf, type Rows, trackRows } from './rows/rows.ts'
import { NOT_LOADED, type StoredRow } from './rows/table.ts'
import { StoreBusyError, StoreClosedError, StoreFailure } from './store-errors.ts'
import type { Tables } from './tables.ts'

/**
 * A decision: a synchronous function that depends only on the rows that it reads and changes. It is run again from its start whenever
 * it reads rows that are not loaded yet, so it must have no other side effect.
 */
export type DecisionOnRows<Result> = (rows: Rows) => Result

/** An open transaction. */
export type Transaction = {
  /** Returns the rows of each load, in the order of the loads. */
  load(loads: readonly Load[]): Promise<(readonly StoredRow[])[]>
  /** Writes rows, in the order of the tables. */
  store(changes: readonly Change[]): Promise<void>
  /** Queries inside the transaction. */
  readonly db: Db
  /** Rows that need not be loaded. Default: none. */
  readonly recentOf?: RecentRowsOf
}

/** The result of one decision, or the error that it threw; then it changed nothing. */
type DecisionResult = { readonly result: unknown } | { readonly error: unknown }

type Decided = {
  readonly outcomes: readonly DecisionResult[]
  /** The events that were appended to the log, by position. */
  readonly appended: readonly PaymentEvent[]
  /** Called after the commit. */
  readonly remember: () => void
}

/**
 * Runs decisions in order, each on the rows as changed by the earlier ones, and stores all changes. Missing rows are loaded for all
 * decisions together. If a decision throws, its changes are undone and the others continue.
 */
async function decideAll(transaction: Transaction, decisions: readonly DecisionOnRows<unknown>[]): Promise<Decided> {
  const tracked = trackRows(transaction.recentOf)
  const outcomes: DecisionResult[] = []
  decideLoaded(tracked, decisions, outcomes)
  // No number of rounds is too many: each loads rows that were not loaded, and what a batch of decisions depends on can be a long chain.
  while (outcomes.length < decisions.length) {
    const missing = tracked.missing()
    if (missing.length === 0) throw new Error('A decision waits for rows, and asks for none that are not loaded.')
    const found = await transaction.load(missing)
    for (const [index, load] of missing.entries()) tracked.fill(load, found[index] ?? [])
    decideLoaded(tracked, decisions, outcomes)
  }
  const changes = tracked.changes()
  if (changes.length > 0) await transaction.store(changes)
  return { outcomes, appended: tracked.appended(), remember: tracked.remember }
}

/** Runs decisions up to the first with missing rows. Those after it are run only to collect their missing rows, and are undone. */
function decideLoaded(
  { rows, keep, undo }: ReturnType<typeof trackRows>,
  decisions: readonly DecisionOnRows<unknown>[],
  outcomes: DecisionResult[],
): void {
  let isComplete = true
  for (const decision of decisions.slice(outcomes.length)) {
    const outcome = tryDecision(decision, rows)
    if (outcome === null) isComplete = false
    if (isComplete && outcome !== null && 'result' in outcome) keep()
    else undo()
    if (isComplete && outcome !== null) outcomes.push(outcome)
  }
}

/** Returns null if rows are missing. */
function tryDecision(decision: DecisionOnRows<unknown>, rows: Rows): DecisionResult | null {
  try {
    return { result: decision(rows) }
  } catch (error) {
    return error === NOT_LOADED ? null : { error }
  }
}

/** Runs queries: on a connection that reads, or inside a transaction that writes. */
export type Db = Kysely<Tables>

/** The steps of a transaction on the only connection that writes. `begin` and `commit` may throw; `rollback` must not. */
export type TransactionSteps = {
  begin(): void
  commit(): void
  rollback(): void
}

/** The same steps, which may also be asynchronous. In both cases transactions run one after the other. */
export type AsyncTransactionSteps = { readonly [Step in keyof TransactionSteps]: () => void | Promise<void> }

export type GroupCommitOptions = {
  readonly steps: AsyncTransactionSteps
  /** Loads and stores rows between `begin` and `commit`. */
  readonly transaction: Transaction
  /** Called with the events that a commit appended, after the promises of its jobs are resolved. */
  readonly onAppended: (events: readonly PaymentEvent[]) => void
  /** Called after each commit; the next transaction waits for the returned promise. */
  readonly onCommitted?: () => void | Promise<void>
  /** Converts an error of the database to the error that the caller receives. */
  readonly toFailure: (error: unknown) => unknown
  /** Returns whether a retry of the same transaction is likely to succeed; there are up to two. Default: never. */
  readonly isTransient?: (error: unknown) => boolean
  /** Maximum number of queued jobs; further ones are rejected. Default 1,024. */
  readonly maxWaiting?: number
  /** Maximum number of decisions per commit. Default 256. */
  readonly maxBatch?: number
  /**
   * The same while commits are fast, for steps that block the event loop: other requests are served between two commits.
   * Default: `maxBatch`.
   */
  readonly maxFastBatch?: number
  /**
   * If a transaction fails, jobs that have been queued for longer than this many milliseconds fail with it, so that no job waits for
   * several failing attempts. Default: no limit.
   */
  readonly maxWaitMs?: number
  /**
   * Pause before the next transaction, as a share of the time that the last one took. A client that receives a response after a commit
   * often sends its next request a few turns of the event loop later. Without the pause that request would miss the next transaction and
   * wait for two. Default 0.
   */
  readonly slackShare?: number
  /** Is told of each transaction. Default: nobody is. */
  readonly observer?: CommitObserver
}

export type CommitObserver = {
  /** `decisions`: how many jobs the transaction recorded. */
  readonly committed: (milliseconds: number, decisions: number) => void
  readonly failed: (failure: StoreFailure) => void
}

export type GroupCommit = {
  /**
   * Runs a decision in a transaction that it shares with concurrent ones, and resolves after the commit. If the decision throws, or the
   * database rejects its rows, it changes nothing, and only its promise rejects. If the commit fails, all decisions of the transaction
   * reject. Rejects with `StoreBusyError` or `StoreClosedError` without running the decision.
   */
  decide<Result>(decision: DecisionOnRows<Result>): Promise<Result>
  /** Runs statements in a separate transaction. */
  exclusively<Result>(work: (transaction: Pick<Transaction, 'db' | 'store'>) => Promise<Result>): Promise<Result>
  /** Resolves when all queued jobs have ended; later ones are rejected with `StoreClosedError`. */
  close(): Promise<void>
}

/** Milliseconds; a shorter pause is replaced by one turn of the event loop. */
const MIN_REST_MS = 5

/** Milliseconds; turns of the event loop may be long because of other requests. */
const MAX_GATHERING_MS = 10

const MAX_BATCH = 256
/** Milliseconds; a transaction that takes longer spends most of this time waiting for the disk. */
const SLOW_MS = 100
const ATTEMPTS = 3

type Job = {
  /** Exactly one of `decision` and `work` is not null. */
  readonly decision: DecisionOnRows<unknown> | null
  readonly work: ((transaction: Pick<Transaction, 'db' | 'store'>) => Promise<unknown>) | null
  readonly queuedAt: number
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Creates a group commit: concurrent writers share one transaction, and so one sync of the disk. */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { maxWaiting = 1024, maxBatch = MAX_BATCH, maxFastBatch = maxBatch, slackShare = 0 } = options
  const queue: Job[] = []
  let draining: Promise<void> | null = null
  let closed = false

  // Times of the last transaction. They also apply if the queue was empty at its end, because it delayed the clients of the next jobs.
  let tookMs = 0
  let endedAt = 0

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const restMs = tookMs * slackShare - Math.max(performance.now() - endedAt, 0)
      const limit = tookMs < SLOW_MS ? maxFastBatch : maxBatch
      // After at least one turn of the event loop: writers that arrive meanwhile join this transaction, and sockets are served.
      await (restMs < MIN_REST_MS ? setImmediate() : setTimeout(restMs))
      await untilNoneComes(queue, limit)
      const startedAt = performance.now()
      await run(() => takeBatch(queue, limit))
      endedAt = performance.now()
      tookMs = endedAt - startedAt
    }
    draining = null
  }

  async function run(take: () => readonly Job[], attempt = 1): Promise<void> {
    const startedAt = performance.now()
    const { jobs, end } = await runTransaction(take, options)
    if ('failure' in end && end.failure instanceof StoreFailure) options.observer?.failed(end.failure)
    if ('outcomes' in end) {
      options.observer?.committed(performance.now() - startedAt, jobs.length)
      for (const [index, job] of jobs.entries()) settle(job, end.outcomes[index])
      if (end.appended.length > 0) options.onAppended(end.appended)
      await options.onCommitted?.()
    } else if (attempt < ATTEMPTS && options.isTransient?.(end.failure) === true) await run(() => jobs, attempt + 1)
    else if (end.byStatement && jobs.length > 1) await runEach(jobs, end.failure)
    else for (const job of [...jobs, ...takeLate(queue, options.maxWaitMs)]) job.reject(end.failure)
  }

  /** Runs jobs one by one: the database rejected the statement of one of them, and the others must not fail with it. */
  async function runEach(jobs: readonly Job[], failure: unknown): Promise<void> {
    for (const job of jobs) {
      await setImmediate()
      if (isLate(job, options.maxWaitMs)) job.reject(failure)
      else await run(() => [job])
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

/**
 * Resolves after the first turn of the event loop in which no job came, when a batch is full, or when some milliseconds are over. While
 * requests come faster than they are served, what a transaction costs is shared by more of them.
 */
async function untilNoneComes(queue: readonly Job[], limit: number): Promise<void> {
  const until = performance.now() + MAX_GATHERING_MS
  for (let before = 0; before < queue.length && queue.length < limit && performance.now() < until;) {
    before = queue.length
    await setImmediate()
  }
}

/** Removes and returns the decisions at the head of the queue, or the one job there that runs in a separate transaction. */
function takeBatch(queue: Job[], maxBatch: number): Job[] {
  const end = queue.findIndex(({ decision }) => decision === null)
  const decisions = end === -1 ? queue.length : end
  return queue.splice(0, Math.max(1, Math.min(decisions, maxBatch)))
}

function isLate({ queuedAt }: Job, maxWaitMs = Infinity): boolean {
  return performance.now() - queuedAt > maxWaitMs
}

/** Removes and returns the jobs that have waited too long: the first ones of the queue. */
function takeLate(queue: Job[], maxWaitMs?: number): Job[] {
  const firstInTime = queue.findIndex((job) => !isLate(job, maxWaitMs))
  return queue.splice(0, firstInTime === -1 ? queue.length : firstInTime)
}

type End =
  | { readonly outcomes: readonly DecisionResult[]; readonly appended: readonly PaymentEvent[] }
  /** `byStatement`: the database rejected a statement, and its connection is still usable. */
  | { readonly failure: unknown; readonly byStatement: boolean }

/** Takes the jobs once the transaction has begun: those that come while it waits for the writers' lock of other nodes share it. */
async function runTransaction(
  take: () => readonly Job[],
  { steps, transaction, toFailure }: GroupCommitOptions,
): Promise<{ readonly jobs: readonly Job[]; readonly end: End }> {
  let jobs: readonly Job[] | null = null
  let byStatement = false
  try {
    await steps.begin()
    jobs = take()
    byStatement = true
    const end = await runJobs(jobs, transaction)
    byStatement = false
    await steps.commit()
    end.remember()
    return { jobs, end }
  } catch (error) {
    await steps.rollback()
    const failure = toFailure(error)
    const isDown = failure instanceof StoreFailure && failure.reason === 'DOWN'
    return { jobs: jobs ?? take(), end: { failure, byStatement: byStatement && !isDown } }
  }
}

async function runJobs(jobs: readonly Job[], transaction: Transaction): Promise<Decided> {
  const [first] = jobs
  if (first?.work != null)
    return { outcomes: [{ result: await first.work(transaction) }], appended: [], remember: () => {} }
  return decideAll(
    transaction,
    jobs.flatMap(({ decision }) => decision ?? []),
  )
}

function settle(job: Job, outcome: DecisionResult | undefined): void {
  if (outcome !== undefined && 'result' in outcome) job.resolve(outcome.result)
  else job.reject(outcome?.error)
}
