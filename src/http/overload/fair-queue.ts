/**
 * A queue that serves its flows in turn (round robin), and each of them in the order of arrival. A flow is everything that one
 * client has asked for.
 */
export type FairQueue<Item> = {
  readonly size: number
  push(flow: string, item: Item): void
  /** Takes the next item of the next flow that may begin one; null when there is none. */
  next(mayBegin: (flow: string) => boolean): Item | null
  /** Whether `next` would give one. */
  hasNext(mayBegin: (flow: string) => boolean): boolean
  /** Takes out an item that still waits; false when it does not. */
  remove(flow: string, item: Item): boolean
  /** The item that has waited longest, of all flows. */
  oldest(): Item | null
  /** The items of the flow with the highest score; among equals of the one that is served last. None in an empty queue. */
  highest(score: (items: readonly Item[]) => number): readonly Item[]
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // The order of the map is the order of service; that of the set is the order of arrival.
  const flows = new Map<string, Item[]>()
  const arrivals = new Set<Item>()

  const nextFlow = (mayBegin: (flow: string) => boolean) => {
    for (const name of flows.keys()) if (mayBegin(name)) return name
    return null
  }
  return {
    get size() {
      return arrivals.size
    },
    push(flow, item) {
      const items = flows.get(flow)
      if (items === undefined) flows.set(flow, [item])
      else items.push(item)
      arrivals.add(item)
    },
    next(mayBegin) {
      const name = nextFlow(mayBegin)
      const items = name === null ? undefined : flows.get(name)
      const item = items?.shift()
      if (name === null || items === undefined || item === undefined) return null
      flows.delete(name)
      if (items.length > 0) flows.set(name, items)
      arrivals.delete(item)
      return item
    },
    hasNext: (mayBegin) => nextFlow(mayBegin) !== null,
    remove(flow, item) {
      const items = flows.get(flow)
      if (items === undefined || !arrivals.delete(item)) return false
      items.splice(items.lastIndexOf(item), 1)
      if (items.length === 0) flows.delete(flow)
      return true
    },
    oldest() {
      for (const item of arrivals) return item
      return null
    },
    highest(score) {
      let best: readonly Item[] = []
      let most = -Infinity
      for (const items of flows.values()) {
        const own = score(items)
        if (own < most) continue
        most = own
        best = items
      }
      return best
    },
  }
}
