import type { Timer } from './timer.ts'

/** A task that a timer repeats, with one run at a time. */
export type PeriodicTask = {
  /** Runs the task now, or waits for the run in progress; does nothing if it may not run. */
  run(): Promise<void>
  /** Stops the timer and the run in progress; resolves when that has ended. */
  close(): Promise<void>
}

export type PeriodicTaskOptions = {
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

/** Milliseconds of a pause between two transactions, at least. */
const LEAST_REST_MS = 5

/** Pauses for as long as the transaction took that began at an instant of the timer, so that other writes have half of the time. */
export function restAsLong(timer: Timer, startedAt: number): Promise<void> {
  const milliseconds = Math.max(timer.now() - startedAt, LEAST_REST_MS)
  return new Promise((resolve) => void timer.after(milliseconds, resolve))
}
