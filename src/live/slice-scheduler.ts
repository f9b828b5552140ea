/** Divides work that comes all at once into slices, and releases the event loop between two of them. */
export type SliceScheduler = {
  /** Resolves when the caller may do one piece of work: in the order of the calls, at once when nothing else is waiting. */
  enter(): Promise<void>
}

type SliceOptions = {
  /** Milliseconds of work after which the event loop is released. */
  readonly sliceMs?: number
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

/** A piece takes about a millisecond, and a webhook needs a few iterations of the event loop until it is answered. */
const SLICE_MS = 5

/** The most pieces of one slice: what a slice has time for, and more. */
const MOST_PIECES = 256

/**
 * Makes a scheduler for all streams of a process. Each piece that waits is a callback of `setImmediate` of its own, which is
 * over when the microtasks that follow it have run, so that the pieces of a slice are measured one by one. A slice ends with
 * the first piece that exceeds its time; the rest waits for the next iteration of the event loop, which takes up connections,
 * requests and timers first.
 */
export function createSliceScheduler({
  sliceMs = SLICE_MS,
  now = () => performance.now(),
}: SliceOptions = {}): SliceScheduler {
  const waiting = createQueue<() => void>()
  let isIdle = true
  let sliceEnd = 0

  const beginSlice = () => {
    sliceEnd = now() + sliceMs
  }
  const admit = () => {
    if (now() < sliceEnd) waiting.shift()?.()
  }
  const endSlice = () => {
    if (waiting.size === 0) isIdle = true
    else scheduleSlice()
  }
  // What is scheduled here runs within one iteration of the event loop.
  const scheduleSlice = () => {
    setImmediate(beginSlice)
    for (let pieces = Math.min(waiting.size, MOST_PIECES); pieces > 0; pieces -= 1) setImmediate(admit)
    setImmediate(endSlice)
  }

  return {
    enter() {
      if (!isIdle) return new Promise((resolve) => waiting.push(resolve))
      isIdle = false
      scheduleSlice()
      return Promise.resolve()
    },
  }
}

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
      if (first >= items.length) {
        items = []
        first = 0
      }
      return item
    },
  }
}
