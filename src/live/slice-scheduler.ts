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

/**
 * Makes a scheduler for all streams of a process. A piece of work is over when the microtasks that follow its `enter` have
 * run, so that the pieces of a slice are measured one by one. A slice ends with the first piece that exceeds its time; the
 * rest waits for the next iteration of the event loop, which takes up connections, requests and timers first.
 */
export function createSliceScheduler({
  sliceMs = SLICE_MS,
  now = () => performance.now(),
}: SliceOptions = {}): SliceScheduler {
  const waiting = createQueue<() => void>()
  let isBusy = false
  let sliceEnd: number | null = null

  const hasTime = () => sliceEnd === null || now() < sliceEnd
  const begin = () => {
    isBusy = true
    if (sliceEnd === null) {
      sliceEnd = now() + sliceMs
      setImmediate(endSlice)
    }
    // A tick that is asked for by a microtask comes after all microtasks.
    queueMicrotask(() => process.nextTick(endPiece))
  }
  const admitNext = () => {
    if (isBusy || !hasTime()) return
    const admit = waiting.shift()
    if (admit === undefined) return
    begin()
    admit()
  }
  const endPiece = () => {
    isBusy = false
    admitNext()
  }
  const endSlice = () => {
    sliceEnd = null
    admitNext()
  }

  return {
    enter() {
      if (isBusy || waiting.size > 0 || !hasTime()) return new Promise((resolve) => waiting.push(resolve))
      begin()
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
