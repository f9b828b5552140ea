import { performance } from 'node:perf_hooks'

/** The clock that measures queueing delay. */
export type LoopClock = {
  /** Milliseconds during which the event loop could run. Monotonic. */
  now(): number
  /** Marks the end of a turn of the event loop. */
  tick(): void
}

export type LoopTimes = {
  /** Milliseconds of a monotonic clock. */
  readonly wall: number
  /** Milliseconds of it in which the event loop was idle. */
  readonly idle: number
  /** Milliseconds of CPU time that this thread has used. */
  readonly cpu: number
}

/** Largest contribution of one turn: one garbage collection or long synchronous call is no overload. */
const MAX_TURN_MS = 250

/**
 * Creates a clock that stops while the thread does not run: suspended, waiting for a CPU, or blocked by a disk. Such waiting is not caused by
 * too many requests. Idle time of the loop counts, because then the queue waits for its own concurrency limit.
 */
export function createLoopClock(times: () => LoopTimes = timesOfThisThread): LoopClock {
  let elapsed = 0
  let last = times()
  const elapsedAt = ({ wall, idle, cpu }: LoopTimes) => {
    const wallMs = wall - last.wall
    const usedMs = idle - last.idle + (cpu - last.cpu)
    return elapsed + Math.max(0, Math.min(wallMs, usedMs, MAX_TURN_MS))
  }
  return {
    now: () => elapsedAt(times()),
    tick() {
      const current = times()
      elapsed = elapsedAt(current)
      last = current
    },
  }
}

/** Milliseconds for which the last reading is reused, because reading is a system call. */
const SAME_MS = 1

let read: LoopTimes = { wall: -Infinity, idle: 0, cpu: 0 }

function timesOfThisThread(): LoopTimes {
  const wall = performance.now()
  if (wall - read.wall < SAME_MS) return read
  const { user, system } = process.threadCpuUsage()
  read = { wall, idle: performance.nodeTiming.idleTime, cpu: (user + system) / 1_000 }
  return read
}
