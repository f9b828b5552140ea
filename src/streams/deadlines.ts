/** An object with an expiry. Each may be added once at a time. */
export type Deadline = {
  /** Milliseconds since the epoch. Must not change while it is registered. */
  readonly endsAt: number
  /** Called once, not before `endsAt`, from a timer. Does not throw. */
  onEnd(): void
  /** Index in the heap, maintained by `Deadlines`; -1 while it is not registered. */
  heapIndex: number
}

/** Calls `onEnd` of any number of deadlines, with one timer. */
export type Deadlines = {
  add(deadline: Deadline): void
  /** Removes a deadline; does nothing if it is not registered. */
  remove(deadline: Deadline): void
}

/** A timer above this fires at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_MS = 2 ** 31 - 1

/** How many deadlines are called per timer callback: tokens of one issuer often expire together. */
const TURN = 64

/** Keeps deadlines in a binary heap, the next one at its root. `now` returns milliseconds since the epoch. */
export function createDeadlines(now: () => number = Date.now): Deadlines {
  const heap: Deadline[] = []
  let timer: NodeJS.Timeout | undefined
  let armedFor = Infinity

  const put = (deadline: Deadline, index: number) => {
    heap[index] = deadline
    deadline.heapIndex = index
  }
  const rise = (deadline: Deadline, from: number) => {
    let index = from
    while (index > 0) {
      const above = (index - 1) >>> 1
      const parent = heap[above]
      if (parent === undefined || parent.endsAt <= deadline.endsAt) break
      put(parent, index)
      index = above
    }
    put(deadline, index)
  }
  const sink = (deadline: Deadline, from: number) => {
    let index = from
    for (;;) {
      const left = heap[2 * index + 1]
      const right = heap[2 * index + 2]
      const least = right !== undefined && left !== undefined && right.endsAt < left.endsAt ? right : left
      if (least === undefined || least.endsAt >= deadline.endsAt) break
      const below = least.heapIndex
      put(least, index)
      index = below
    }
    put(deadline, index)
  }
  const arm = () => {
    clearTimeout(timer)
    const [next] = heap
    armedFor = next?.endsAt ?? Infinity
    timer = next === undefined ? undefined : setTimeout(fire, Math.min(Math.max(next.endsAt - now(), 0), LONGEST_MS))
    timer?.unref()
  }
  const remove = (deadline: Deadline) => {
    const { heapIndex } = deadline
    if (heapIndex === -1) return
    deadline.heapIndex = -1
    const last = heap.pop()
    if (last !== undefined && last !== deadline) {
      rise(last, heapIndex)
      sink(last, last.heapIndex)
    }
    if (heap.length === 0) arm()
  }
  const fire = () => {
    for (let count = 0; count < TURN; count += 1) {
      const [next] = heap
      if (next === undefined || next.endsAt > now()) break
      remove(next)
      next.onEnd()
    }
    arm()
  }

  return {
    add(deadline) {
      rise(deadline, heap.length)
      if (deadline.endsAt < armedFor) arm()
    },
    remove,
  }
}
