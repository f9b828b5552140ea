import { AsyncResource } from 'node:async_hooks'

/** A unit of work of one stream. `run` does not throw. */
export type Piece = { run(): void }

/** Runs many units of work in time slices, between which the event loop handles other work. */
export type SliceScheduler = {
  /** Returns true, and counts the unit, if it may run at once in the caller's turn. False while others are queued. */
  admits(): boolean
  /** Queues a unit; units run in the order of the calls. */
  push(piece: Piece): void
}

type SliceOptions = {
  /** Milliseconds of work per slice. */
  readonly sliceMs?: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** Short, because a webhook needs several iterations of the event loop until it is answered. */
const SLICE_MS = 5

/** Target duration of a chunk in milliseconds, after which its duration is measured, and its largest number of units. */
const CHUNK_MS = 1
const MOST_PIECES = 64

/** Largest number of chunks per slice. */
const MOST_CHUNKS = 64

/**
 * Makes one scheduler for all streams of a process. Queued units run in chunks. Each chunk is one `setImmediate` callback, so its
 * measured duration includes the microtasks that it causes (an execution, a frame); the next chunk gets as many units as take
 * about a millisecond. A slice ends with the first chunk that exceeds its time; the rest waits for the next iteration of the event
 * loop, which handles connections, requests and timers first.
 */
export function createSliceScheduler({
  sliceMs = SLICE_MS,
  now = () => performance.now(),
}: SliceOptions = {}): SliceScheduler {
  const waiting = createQueue<Piece>()
  // Units must not inherit the async context of the request that queued them.
  const outside = new AsyncResource('StreamSlices')
  let isScheduled = false
  let sliceEnd = 0
  let chunkSize = 1
  let chunkStart = 0
  let ran = 0
  /** How many units may still run before the next callback. */
  let credit = 0

  /** Adapts the size of the next chunk to the duration of the last one. */
  const beginChunk = () => {
    const at = now()
    if (ran > 0) {
      const fitting = Math.floor((CHUNK_MS * ran) / (at - chunkStart))
      chunkSize = Math.max(1, Math.min(fitting, chunkSize * 2, MOST_PIECES))
    }
    chunkStart = at
    ran = 0
    credit = at < sliceEnd ? chunkSize : 0
  }
  const beginSlice = () => {
    ran = 0
    sliceEnd = now() + sliceMs
    beginChunk()
  }
  const runChunk = () => {
    beginChunk()
    while (credit > 0) {
      const piece = waiting.shift()
      if (piece === undefined) return
      credit -= 1
      ran += 1
      piece.run()
    }
  }
  const endSlice = () => {
    beginChunk()
    credit = 0
    isScheduled = false
    if (waiting.size > 0) schedule()
  }
  // Callbacks of setImmediate that are scheduled here run within one iteration of the event loop.
  const scheduleSlice = () => {
    setImmediate(beginSlice)
    for (let chunks = Math.min(waiting.size, MOST_CHUNKS); chunks > 0; chunks -= 1) setImmediate(runChunk)
    setImmediate(endSlice)
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    outside.runInAsyncScope(scheduleSlice)
  }

  return {
    admits() {
      if (waiting.size > 0) return false
      if (!isScheduled) {
        schedule()
        beginSlice()
      }
      if (credit === 0) return false
      credit -= 1
      ran += 1
      return true
    },
    push(piece) {
      waiting.push(piece)
      schedule()
    },
  }
}

/** Largest number of taken items that the array still references. */
const MOST_TAKEN = 4_096

/** A queue whose `shift` takes constant time. */
function createQueue<Item>() {
  let items: Item[] = []
  let first = 0
  return {
    get size() {
      return items.length - first
    },
    push: (item: Item) => void items.push(item),
    shift(): Item | undefined {
      const item = items[first]
      first += 1
      if (first >= items.length || first >= MOST_TAKEN) {
        items = items.slice(first)
        first = 0
      }
      return item
    },
  }
}
