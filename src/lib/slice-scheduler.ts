import { AsyncResource } from 'node:async_hooks'

/** A unit of work. `run` does not throw. */
export type Piece = { run(): void }

/** Runs many units of work in time slices, between which the event loop handles other work. */
export type SliceScheduler = {
  /** Returns true if a unit may run at once in the caller's turn: nothing is queued, and the slice has time left. */
  admits(): boolean
  /** Queues a unit; units run in the order of the calls. */
  push(piece: Piece): void
  /** Lets other work pass first: for up to eight iterations of the event loop in which this is called nothing runs. */
  giveWay(): void
}

/** Milliseconds of work in an iteration of the event loop. Short, because a webhook takes several iterations until it is answered. */
const SLICE_MS = 5
/** The same in an iteration that should give way, and has given way often enough. */
const SHORT_SLICE_MS = 1
const MOST_PASSED = 8
/** Largest number of queued units that run in an iteration. */
const MOST_PIECES = 64

/**
 * Creates a scheduler. Each queued unit runs in a `setImmediate` callback of its own, so that the microtasks that it causes (an execution, a
 * frame) are done and measured before the next one. When the slice is over, the rest waits for the next iteration of the event loop, which
 * handles connections, requests and timers first. One unit runs in each slice, however busy the machine is. `now` is a monotonic clock in
 * milliseconds.
 */
export function createSliceScheduler(now: () => number = () => performance.now()): SliceScheduler {
  const waiting = createQueue<Piece>()
  // Units must not inherit the async context of the request that queued them.
  const outside = new AsyncResource('SliceScheduler')
  let isScheduled = false
  /** When the first unit of this slice began. */
  let began: number | null = null
  let sliceMs = SLICE_MS
  let givesWay = false
  let passed = 0

  const hasTime = () => {
    if (sliceMs === 0) return false
    began ??= now()
    return now() - began < sliceMs
  }
  const beginSlice = () => {
    const passes = givesWay && passed < MOST_PASSED
    passed = passes ? passed + 1 : 0
    if (givesWay) sliceMs = passes ? 0 : SHORT_SLICE_MS
    givesWay = false
  }
  const runOne = () => {
    if (waiting.size > 0 && hasTime()) waiting.shift()?.run()
  }
  const endSlice = () => {
    isScheduled = false
    began = null
    sliceMs = SLICE_MS
    if (waiting.size > 0) schedule()
  }
  // Callbacks of setImmediate that are scheduled here run within one iteration of the event loop.
  const scheduleSlice = () => {
    setImmediate(beginSlice)
    for (let pieces = Math.min(waiting.size, MOST_PIECES); pieces > 0; pieces -= 1) setImmediate(runOne)
    setImmediate(endSlice)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    outside.runInAsyncScope(scheduleSlice)
  }

  return {
    admits() {
      if (waiting.size > 0 || givesWay || !hasTime()) return false
      schedule()
      return true
    },
    push(piece) {
      waiting.push(piece)
      schedule()
    },
    giveWay() {
      givesWay = true
      schedule()
    },
  }
}

/** A queue whose `shift` takes constant time. */
function createQueue<Item>() {
  let taken = 0
  let leaving: Item[] = []
  let entering: Item[] = []
  return {
    get size() {
      return leaving.length - taken + entering.length
    },
    push: (item: Item) => void entering.push(item),
    shift(): Item | undefined {
      if (taken === leaving.length) {
        leaving = entering
        entering = []
        taken = 0
      }
      const item = leaving[taken]
      taken += 1
      return item
    },
  }
}
