/** A monotonic clock with timers, which a test can replace. */
export type Timer = {
  /** Milliseconds since an arbitrary instant; never decreases. */
  now(): number
  /** Calls `action` after so many milliseconds and returns the function that cancels it. Does not keep the process alive. */
  after(milliseconds: number, action: () => void): () => void
}

/** A timer above this fires at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
export const LONGEST_MS = 2 ** 31 - 1

export const systemTimer: Timer = {
  now: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, Math.min(milliseconds, LONGEST_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/**
 * Returns the result of some work, or that of `otherwise` when the work takes longer than these milliseconds. Rejects with what
 * either throws. The work is not cancelled: it continues, and its result is ignored.
 */
export function withTimeout<Result, Late>(
  work: Promise<Result>,
  milliseconds: number,
  otherwise: () => Late,
): Promise<Result | Late> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | Late>()
  const timer = setTimeout(() => {
    try {
      resolve(otherwise())
    } catch (error) {
      reject(error)
    }
  }, milliseconds)
  work.then(
    (result) => {
      clearTimeout(timer)
      return resolve(result)
    },
    (error: unknown) => {
      clearTimeout(timer)
      return reject(error)
    },
  )
  return promise
}

/** A task that a timer repeats, with one run at a time. */
export type PeriodicTask = {
  /** Runs the task now, or waits for the run in progress; does nothing if it may not run. */
  run(): Promise<void>
  /** Stops the timer and the run in progress; resolves when that has ended. */
  close(): Promise<void>
}

type PeriodicTaskOptions = {
  readonly everyMs: number
  readonly timer: Timer
  /** Whether the task may run, and a run may go on. */
  readonly mayRun: () => boolean
  /** One run. It ends early once `mayGoOn` returns false. It must not reject. */
  readonly work: (mayGoOn: () => boolean) => Promise<void>
}

/** Repeats a task. The first run by the timer is after `everyMs` milliseconds. */
export function startPeriodicTask({ everyMs, timer, mayRun, work }: PeriodicTaskOptions): PeriodicTask {
  let running: Promise<void> | null = null
  let closed = false
  const mayGoOn = () => !closed && mayRun()

  const run = async () => {
    if (mayGoOn())
      await (running ??= work(mayGoOn).finally(() => {
        running = null
      }))
  }
  const runLater = (): (() => void) =>
    timer.after(everyMs, () => {
      cancel = runLater()
      void run()
    })
  let cancel = runLater()
  return {
    run,
    async close() {
      closed = true
      cancel()
      await running
    },
  }
}

/** Runs tasks one after the other. One that fails is reported, and does not hold up the others. */
export async function runEach(
  tasks: readonly (() => Promise<void>)[],
  onFailed: (error: unknown) => void,
): Promise<void> {
  for (const task of tasks) {
    try {
      await task()
    } catch (error) {
      onFailed(error)
    }
  }
}

/** Milliseconds of a pause between two transactions, at least. */
const LEAST_REST_MS = 5

/** Pauses for as long as the transaction took that began at an instant of the timer, so that other writes have half of the time. */
export function restAsLong(timer: Timer, startedAt: number): Promise<void> {
  const milliseconds = Math.max(timer.now() - startedAt, LEAST_REST_MS)
  return new Promise((resolve) => void timer.after(milliseconds, resolve))
}

/** A member, called periodically until it is removed. */
type TimerMember = { onTimer(): void }

/** One timer for all streams and sockets, instead of several for each. */
export type SharedTimer = {
  /** Milliseconds between two calls of a member. */
  readonly periodMs: number
  add(member: TimerMember): void
  delete(member: TimerMember): void
}

/** Milliseconds between two slices of the members. */
const SLICE_MS = 50

/**
 * Calls each member once in `periodMs`, in slices that are spread over it, so that thousands of members do not all act at once.
 * Does not keep the process alive, and stops while there are no members.
 */
export function createSharedTimer(periodMs: number): SharedTimer {
  const slices = Array.from({ length: Math.max(1, Math.floor(periodMs / SLICE_MS)) }, () => new Set<TimerMember>())
  let timer: NodeJS.Timeout | undefined
  let size = 0
  let current = 0
  let filling = 0
  const tick = () => {
    current = (current + 1) % slices.length
    for (const member of slices[current] ?? []) member.onTimer()
  }
  return {
    periodMs,
    add(member) {
      filling = (filling + 1) % slices.length
      slices[filling]?.add(member)
      size += 1
      timer ??= setInterval(tick, periodMs / slices.length).unref()
    },
    delete(member) {
      if (!slices.some((slice) => slice.delete(member))) return
      size -= 1
      if (size > 0) return
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Maximum milliseconds between two checks of a peer that does not read. */
const LOOK_MS = 1_000

/** Returns the period at which peers are checked; the time between two heartbeats is a whole multiple of it. */
export function lookPeriodMs({ keepAliveMs, bufferedMs }: { keepAliveMs: number; bufferedMs: number }): number {
  return keepAliveMs / Math.ceil(keepAliveMs / Math.min(LOOK_MS, bufferedMs / 2))
}
