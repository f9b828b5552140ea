import { AsyncResource } from 'node:async_hooks'

/** One piece of work of a stream. `run` does not throw. */
export type Piece = { run(): void }

/** Divides work that comes all at once into slices, and releases the event loop between two of them. */
export type SliceScheduler = {
  /** Whether a piece may run now, in the caller's turn. Counts one that may. False as long as others wait. */
  admits(): boolean
  /** Runs a piece in a turn of its own: in the order of the calls. */
  push(piece: Piece): void
}

type SliceOptions = {
  /** Milliseconds of work after which the event loop is released. */
  readonly sliceMs?: number
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

/** A webhook needs a few iterations of the event loop until it is answered. */
const SLICE_MS = 5

/** Milliseconds of work between two looks at what it took, and the most pieces of such a chunk. */
const CHUNK_MS = 1
const MOST_PIECES = 64

/** The most chunks of one slice. */
const MOST_CHUNKS = 64

/**
 * Makes a scheduler for all streams of a process. What waits runs in chunks, each of them a callback of `setImmediate`, which
 * is over when the microtasks that follow it have run, so that what a piece leads to (an execution, a frame) is measured with
 * it; the next chunk has as many pieces as take about a millisecond. A slice ends with the first chunk that exceeds its time;
 * the rest waits for the next iteration of the event loop, which takes up connections, requests and timers first.
 */
export function createSliceScheduler({
  sliceMs = SLICE_MS,
  now = () => performance.now(),
}: SliceOptions = {}): SliceScheduler {
  const waiting = createQueue<Piece>()
  // What runs here belongs to no request, whoever woke it.
  const outside = new AsyncResource('StreamSlices')
  let isScheduled = false
  let sliceEnd = 0
  let chunkSize = 1
  let chunkStart = 0
  let ran = 0
  /** How many pieces may still run before the next callback. */
  let credit = 0

  /** Adapts the size of a chunk to what the pieces of the last one took. */
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
  // What is scheduled here runs within one iteration of the event loop.
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

/** Items that a queue holds on to after they were taken, at most. */
const MOST_TAKEN = 4_096

/** A queue whose `shift` takes the same time however long it is. */
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
