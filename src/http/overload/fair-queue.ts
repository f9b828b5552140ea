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

type Score = 'count' | 'weight'

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

/** Keys with integer scores from 0; finds the highest in constant time. */
type Ranking = {
  /** Sets the score of a key; null removes it. */
  set(key: string, score: number | null): void
  /** Returns the key with the highest score, among equals the one set last; null if there is none. */
  top(): { readonly key: string; readonly score: number } | null
}

type Entry = { readonly key: string; readonly score: number }

/** How many stale entries a score may have, beyond the number of keys, before they are removed. */
const SLACK = 64

/**
 * Keeps a stack of keys per score. A replaced entry stays in its stack until it is on top, or until half of the stack is stale, so that
 * each call takes amortised constant time.
 */
export function createRanking(): Ranking {
  const current = new Map<string, Entry>()
  const stacks = new Map<number, Entry[]>()
  let highest = 0

  const isCurrent = (entry: Entry) => current.get(entry.key) === entry
  const stackOf = (score: number) => {
    const stack = stacks.get(score) ?? []
    if (stack.length > 2 * current.size + SLACK) stack.splice(0, stack.length, ...stack.filter(isCurrent))
    stacks.set(score, stack)
    return stack
  }
  const topOf = (score: number) => {
    const stack = stacks.get(score)
    for (let entry = stack?.at(-1); entry !== undefined; entry = stack?.at(-1)) {
      if (isCurrent(entry)) return entry
      stack?.pop()
    }
    stacks.delete(score)
    return null
  }
  return {
    set(key, score) {
      current.delete(key)
      if (score === null) return
      const entry = { key, score }
      current.set(key, entry)
      stackOf(score).push(entry)
      highest = Math.max(highest, score)
    },
    top() {
      for (; current.size > 0; highest -= 1) {
        const entry = topOf(highest)
        if (entry !== null) return entry
      }
      highest = 0
      stacks.clear()
      return null
    },
  }
}
