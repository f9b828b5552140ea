import type { Server } from 'node:net'

/** Begins work in slices, so that a turn of the event loop stays short. */
export type Scheduler = {
  /** Whether a piece of work may begin now, ahead of nothing that waits. */
  mayBeginNow(): boolean
  /** Has what waits begun in the next turns of the event loop, until nothing may begin. */
  wake(): void
  /** Answers a refused request after a second: clients that come again at once would otherwise take all of the time. */
  refuse(answer: () => void): void
}

/** Where work waits. */
export type Source = {
  /** Begins one piece of work, when one may begin. */
  beginNext(): void
  /** Whether one may begin. */
  hasNext(): boolean
}

/** How long work may begin in one turn, in milliseconds, and how long refusals are answered in one. */
const SLICE_MS = 10
const REFUSALS_MS = 4
/** How long a refusal is held back, in milliseconds, and how many are. */
const HOLD_MS = 1_000
const MAX_HELD = 4_096
/** Pieces of work that begin in one turn at most. */
const MAX_BEGINNINGS = 32
/** The same in a turn that has accepted a connection. */
const SLICE_WITH_CONNECTIONS_MS = 1
/** Turns that may go by for connections alone before work begins. */
const MAX_PASSES = 8

/**
 * Begins work of all sources in turn, for ten milliseconds of each turn of the event loop. While connections come, only after
 * eight turns and for a millisecond: a turn accepts a single one (https://github.com/libuv/libuv/pull/3696), so that a few
 * hundred clients that all keep the turns long would let in a handful of webhooks per second. Each piece of work begins in an
 * immediate of its own, because what it does in microtasks is done before the next one, and counts. `onTurn` is called once
 * in each turn in which work waits. `server` is the one whose connections are meant.
 */
export function createScheduler(server: Server, sources: () => readonly Source[], onTurn: () => void): Scheduler {
  const refusals = createRefusals(() => arm())
  let connected = false
  let passes = 0
  let armed = false
  let passing = false
  let sliceMs = SLICE_MS
  // When the first work of this slice began: one piece begins in each, however busy the machine is.
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
    // Mostly nothing waits: what comes meanwhile begins at once, or in the next turn.
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

/** Refusals that are held back. `onDue` is called when some are to be answered. */
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
