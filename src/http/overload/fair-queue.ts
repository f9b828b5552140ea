import { createRanking } from './ranking.ts'

/**
 * A queue that serves its flows round robin, and each flow in order of arrival. A flow is the requests of one client.
 */
export type FairQueue<Item> = {
  readonly size: number
  push(flow: string, item: Item): void
  /** Removes and returns the next item of the next flow that may begin one; null if there is none. */
  next(mayBegin: (flow: string) => boolean): Item | null
  /** Whether `next` would return an item. */
  hasNext(mayBegin: (flow: string) => boolean): boolean
  /** Removes an item; returns false if it is not queued. */
  remove(flow: string, item: Item): boolean
  /** The oldest item of all flows. */
  oldest(): Item | null
  /** Number of queued items of a flow. */
  countOf(flow: string): number
  /** Items of the flow with the highest weight; among equals of the one that changed last. Empty for an empty queue. */
  highest(score: Score): readonly Item[]
  /** The items of each flow. */
  flows(): Iterable<readonly Item[]>
}

export type Score = 'count' | 'weight'

/** `weightOf` returns the weight of one item of a flow, an integer; a flow's weight is the sum. */
export function createFairQueue<Item>(weightOf: (items: readonly Item[]) => number): FairQueue<Item> {
  // The map is in order of service, the set in order of arrival.
  const flows = new Map<string, Item[]>()
  const arrivals = new Set<Item>()
  const rankings = { count: createRanking(), weight: createRanking() }

  const rank = (name: string) => {
    const items = flows.get(name)
    rankings.count.set(name, items?.length ?? null)
    rankings.weight.set(name, items === undefined ? null : items.length * weightOf(items))
  }
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
      rank(flow)
    },
    next(mayBegin) {
      const name = nextFlow(mayBegin)
      const items = name === null ? undefined : flows.get(name)
      const item = items?.shift()
      if (name === null || items === undefined || item === undefined) return null
      flows.delete(name)
      if (items.length > 0) flows.set(name, items)
      arrivals.delete(item)
      rank(name)
      return item
    },
    hasNext: (mayBegin) => nextFlow(mayBegin) !== null,
    remove(flow, item) {
      const items = flows.get(flow)
      if (items === undefined || !arrivals.delete(item)) return false
      items.splice(items.lastIndexOf(item), 1)
      if (items.length === 0) flows.delete(flow)
      rank(flow)
      return true
    },
    oldest() {
      for (const item of arrivals) return item
      return null
    },
    countOf: (flow) => flows.get(flow)?.length ?? 0,
    highest: (score) => flows.get(rankings[score].top()?.key ?? '') ?? [],
    flows: () => flows.values(),
  }
}
