import { performance } from 'node:perf_hooks'

/** A clock by which queueing delay is measured. */
export type LoopClock = {
  /** Milliseconds that the event loop could use. Never falls. */
  now(): number
  /** Ends a turn of the event loop: the next one counts from here. */
  tick(): void
}

export type LoopTimes = {
  /** Milliseconds of a monotonic clock. */
  readonly wall: number
  /** Milliseconds of it in which the event loop waited for events. */
  readonly idle: number
  /** Milliseconds of CPU time that this thread has used. */
  readonly cpu: number
}

/** The most that one turn counts. Garbage collection or a long synchronous call holds up everybody once: it is not a queue. */
const MAX_TURN_MS = 250

/**
 * A clock that stands still while the thread does not run: suspended, waiting for a CPU, or blocked by a disk. What waits in
 * a queue meanwhile does not wait because others ask for too much. Time in which the loop is idle counts, because then the
 * queue waits for a limit of its own.
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

/** For so many milliseconds the times that were read last are given again: to read them is a system call. */
const SAME_MS = 1

let read: LoopTimes = { wall: -Infinity, idle: 0, cpu: 0 }

function timesOfThisThread(): LoopTimes {
  const wall = performance.now()
  if (wall - read.wall < SAME_MS) return read
  const { user, system } = process.threadCpuUsage()
  read = { wall, idle: performance.nodeTiming.idleTime, cpu: (user + system) / 1_000 }
  return read
}
