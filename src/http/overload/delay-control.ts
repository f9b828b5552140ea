import type { Server } from 'node:net'
import { performance as processPerformance } from 'node:perf_hooks'

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
  const wall = processPerformance.now()
  if (wall - read.wall < SAME_MS) return read
  const { user, system } = process.threadCpuUsage()
  read = { wall, idle: processPerformance.nodeTiming.idleTime, cpu: (user + system) / 1_000 }
  return read
}

/** Begins queued work in time slices, so that a turn of the event loop stays short. */
export type Scheduler = {
  /** Whether work may begin at once: nothing is queued and the slice has time left. */
  mayBeginNow(): boolean
  /** Begins queued work in the next turns of the event loop, until nothing may begin. */
  wake(): void
  /** Answers a refused request after a second: otherwise clients that retry at once would use all CPU time. */
  refuse(answer: () => void): void
}

/** A source of queued work. */
export type Source = {
  /** Begins one unit of work, if one may begin. */
  beginNext(): void
  /** Whether one may begin. */
  hasNext(): boolean
}

/** Milliseconds per turn in which work may begin, and in which refusals are answered. */
const SLICE_MS = 10
const REFUSALS_MS = 4
/** Milliseconds for which a refusal is delayed, and the largest number of delayed ones. */
const HOLD_MS = 1_000
const MAX_HELD = 4_096
/** Largest number of units that begin in one turn. */
const MAX_BEGINNINGS = 32
/** The same in a turn that has accepted a connection. */
const SLICE_WITH_CONNECTIONS_MS = 1
/** Turns that accept connections only, before work begins. */
const MAX_PASSES = 8

/**
 * Begins work of all sources round robin, for ten milliseconds of each turn of the event loop. While connections arrive, only every ninth
 * turn and for one millisecond: a turn accepts a single connection (https://github.com/libuv/libuv/pull/3696), so long turns would
 * let only a handful of webhooks per second in. Each unit begins in its own `setImmediate`, so that its microtasks are done before the
 * next one and are measured. `onTurn` is called once per turn with queued work. `server` is the server whose connections count.
 */
export function createScheduler(server: Server, sources: () => readonly Source[], onTurn: () => void): Scheduler {
  const refusals = createRefusals(() => arm())
  let connected = false
  let passes = 0
  let armed = false
  let passing = false
  let sliceMs = SLICE_MS
  // When the first unit of this slice began: one begins in each slice, however busy the machine is.
  let sliceBegan: number | null = null
  let nextSource = 0

  const hasWork = () => {
    for (const source of sources()) if (source.hasNext()) return true
    return false
  }
  const isOver = () => passing || (sliceBegan !== null && performance.now() - sliceBegan >= sliceMs)
  const arm = () => {
    if (armed) return
    armed = true
    // Mostly nothing is queued: new work begins at once, or in the next turn. While connections arrive, most turns begin nothing.
    const steps = !hasWork() || (passes > 0 && passes < MAX_PASSES) ? 0 : MAX_BEGINNINGS
    setImmediate(steps === 0 ? passTurn : turn)
    for (let step = 0; step < steps; step += 1) setImmediate(beginOne)
    if (steps > 0) setImmediate(endTurn)
  }
  const turn = () => {
    onTurn()
    passing = connected && passes < MAX_PASSES
    passes = passing ? passes + 1 : 0
    sliceMs = connected ? SLICE_WITH_CONNECTIONS_MS : SLICE_MS
    connected = false
    refusals.answerDue()
    sliceBegan = null
  }
  const beginOne = () => {
    if (isOver()) return
    const all = sources()
    for (let tried = 0; tried < all.length; tried += 1) {
      const source = all[nextSource % all.length]
      nextSource += 1
      if (source?.hasNext() !== true) continue
      sliceBegan ??= performance.now()
      return source.beginNext()
    }
  }
  const endTurn = () => {
    armed = passing = false
    sliceBegan = null
    sliceMs = SLICE_MS
    if (connected || refusals.areDue() || hasWork()) arm()
  }

  const passTurn = () => {
    turn()
    endTurn()
  }

  server.on('connection', () => {
    connected = true
    arm()
  })
  return {
    mayBeginNow() {
      if (connected || hasWork() || isOver()) return false
      sliceBegan ??= performance.now()
      arm()
      return true
    },
    wake: arm,
    refuse: refusals.add,
  }
}

/** Delayed refusals. `onDue` is called when some are due. */
function createRefusals(onDue: () => void) {
  const held: { readonly answer: () => void; readonly due: number }[] = []
  let timer: NodeJS.Timeout | null = null
  const areDue = () => held.length > MAX_HELD || (held[0] !== undefined && held[0].due <= performance.now())
  const wait = () => {
    if (timer !== null || held[0] === undefined) return
    timer = setTimeout(
      () => {
        timer = null
        onDue()
      },
      Math.max(1, held[0].due - performance.now()),
    )
  }
  return {
    areDue,
    add(answer: () => void) {
      held.push({ answer, due: performance.now() + HOLD_MS })
      if (areDue()) onDue()
      else wait()
    },
    answerDue() {
      const until = performance.now() + REFUSALS_MS
      while (areDue() && performance.now() < until) held.shift()?.answer()
      if (!areDue()) wait()
    },
  }
}
