/** The event queue of a simulation: the earliest entry first; of equal instants the one that was added first. */
export type Queue<Happening> = {
  add(at: number, happening: Happening): void
  take(): { readonly at: number; readonly happening: Happening } | undefined
}

type Entry<Happening> = { readonly at: number; readonly number: number; readonly happening: Happening }

/** Creates an empty queue, as a binary heap. */
export function createQueue<Happening>(): Queue<Happening> {
  const heap: Entry<Happening>[] = []
  let added = 0

  const isBefore = (a: number, b: number) => {
    const [left, right] = [heap[a], heap[b]]
    if (left === undefined || right === undefined) return left !== undefined
    return left.at < right.at || (left.at === right.at && left.number < right.number)
  }

  const swap = (a: number, b: number) => {
    const [left, right] = [heap[a], heap[b]]
    if (left === undefined || right === undefined) return
    heap[a] = right
    heap[b] = left
  }

  const sink = () => {
    for (let place = 0; ;) {
      const child = isBefore(2 * place + 1, 2 * place + 2) ? 2 * place + 1 : 2 * place + 2
      if (child >= heap.length || isBefore(place, child)) return
      swap(place, child)
      place = child
    }
  }

  return {
    add(at, happening) {
      heap.push({ at, number: added++, happening })
      for (let place = heap.length - 1; place > 0;) {
        const parent = (place - 1) >> 1
        if (isBefore(parent, place)) return
        swap(parent, place)
        place = parent
      }
    },
    take() {
      swap(0, heap.length - 1)
      const first = heap.pop()
      sink()
      return first
    },
  }
}
