import { performance } from 'node:perf_hooks'

/** Detects overload from the delay of a queue. */
type DelayControl = {
  /** Counts an arrival. */
  arrived(): void
  /** Counts a start. */
  begun(): void
  /** Observes how long the oldest request has waited, in milliseconds; 0 if the queue is empty. */
  observe(ageMs: number): void
  /** Capacity of the queue: unbounded, or while overloaded as many as begin in half a second. */
  limit(): number
}

/** A growing queue is an overload when its oldest request has waited so long, which is also what a refusal costs a client. */
const GROWING_MS = 1_000
/** A queue that does not shrink is an overload after this time; clients in a closed loop cause such queues too. */
const STANDING_MS = 5_000
/** The overload ends when the oldest request has waited less than this. */
const CALM_MS = 250
/** Interval over which arrivals and starts are compared; also the queue's length in time while overloaded. */
const WINDOW_MS = 500
/** Smallest capacity. */
const MIN_LIMIT = 32
/** Ratio of arrivals to starts above which a queue grows, and above which it does not shrink. */
const GROWTH = 1.1
const DECLINE = 0.9

/**
 * Controlled delay (RFC 8289) for requests: a queue that has not been empty for a second and that grows is an overload. A burst is a
 * queue too, but it shrinks, and clients in a closed loop make a queue that does not grow. `now` is a clock in milliseconds that stops
 * while the process does not run.
 */
export function createDelayControl(now: () => number): DelayControl {
  let overloaded = false
  let window = { since: now(), arrived: 0, begun: 0 }
  let limit = Infinity

  const isTooMuch = (ageMs: number) =>
    (ageMs > GROWING_MS && window.arrived > window.begun * GROWTH) ||
    (ageMs > STANDING_MS && window.arrived >= window.begun * DECLINE)
  const endWindow = (at: number, ageMs: number) => {
    overloaded ||= isTooMuch(ageMs)
    limit = overloaded ? Math.max(MIN_LIMIT, (window.begun * WINDOW_MS) / (at - window.since)) : Infinity
    window = { since: at, arrived: 0, begun: 0 }
  }
  return {
    arrived() {
      window.arrived += 1
    },
    begun() {
      window.begun += 1
    },
    observe(ageMs) {
      const at = now()
      if (ageMs < CALM_MS) overloaded = false
      if (!overloaded) limit = Infinity
      if (at - window.since >= WINDOW_MS) endWindow(at, ageMs)
    },
    limit: () => limit,
  }
}

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
