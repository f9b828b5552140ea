import type { Server } from 'node:net'

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
    // Mostly nothing is queued: new work begins at once, or in the next turn.
    const steps = hasWork() ? MAX_BEGINNINGS : 0
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
