/** The requests of one client, by its name, which is in one group only. */
export type Flow<Group extends string> = { readonly name: string; readonly group: Group }

/** A queue that serves its groups in turn, the flows of each group in turn, and each flow in order of arrival. */
export type FairQueue<Item, Group extends string> = {
  readonly size: number
  push(flow: Flow<Group>, item: Item): void
  /** Removes and returns the next item of the next flow that may begin one; null if there is none. */
  next(mayBegin: (flow: string) => boolean): Item | null
  /** Whether `next` would return an item. */
  hasNext(mayBegin: (flow: string) => boolean): boolean
  /** Removes an item; returns false if it is not queued. */
  remove(flow: Flow<Group>, item: Item): boolean
  /** The oldest item of all flows. */
  oldest(): Item | null
  /** Number of queued items of a flow. */
  countOf(flow: Flow<Group>): number
  /** Number of queued items of a group. */
  sizeOf(group: Group): number
  /** Items of the longest of all flows; among equals of the one that changed last. Empty if there is none. */
  longest(): readonly Item[]
  /** Items of the longest flow of a group of which `mayLose` is true. */
  longestOf(group: Group): readonly Item[]
  /** The items of each flow. */
  flows(): Iterable<readonly Item[]>
}

/** The flows of a group, in order of service, and the number of their items. */
type GroupFlows<Item> = { readonly flows: Map<string, Item[]>; readonly ranking: Ranking; size: number }

/** `mayLose` returns whether one of the items of a flow may be removed for others. */
export function createFairQueue<Item, Group extends string>(
  groups: readonly Group[],
  mayLose: (items: readonly Item[]) => boolean,
): FairQueue<Item, Group> {
  const byGroup = Object.fromEntries(
    groups.map((group): [string, GroupFlows<Item>] => [group, { flows: new Map(), ranking: createRanking(), size: 0 }]),
  ) as Record<Group, GroupFlows<Item>>
  const ranking = createRanking()
  /** In order of arrival. */
  const arrivals = new Set<Item>()
  const items = ({ name, group }: Flow<Group>) => byGroup[group].flows.get(name)
  /** The groups, in order of service. */
  let order = groups

  const rank = (flow: Flow<Group>) => {
    const own = items(flow)
    ranking.set(flow.name, own?.length ?? null)
    byGroup[flow.group].ranking.set(flow.name, own === undefined || !mayLose(own) ? null : own.length)
  }
  const nextFlow = (mayBegin: (flow: string) => boolean): Flow<Group> | null => {
    for (const group of order)
      for (const name of byGroup[group].flows.keys()) if (mayBegin(name)) return { name, group }
    return null
  }
  return {
    get size() {
      return arrivals.size
    },
    push(flow, item) {
      const own = items(flow)
      if (own === undefined) byGroup[flow.group].flows.set(flow.name, [item])
      else own.push(item)
      byGroup[flow.group].size += 1
      arrivals.add(item)
      rank(flow)
    },
    next(mayBegin) {
      const flow = nextFlow(mayBegin)
      const own = flow === null ? undefined : items(flow)
      const item = own?.shift()
      if (flow === null || own === undefined || item === undefined) return null
      const { flows } = byGroup[flow.group]
      byGroup[flow.group].size -= 1
      flows.delete(flow.name)
      if (own.length > 0) flows.set(flow.name, own)
      order = [...order.filter((group) => group !== flow.group), flow.group]
      arrivals.delete(item)
      rank(flow)
      return item
    },
    hasNext: (mayBegin) => nextFlow(mayBegin) !== null,
    remove(flow, item) {
      const own = items(flow)
      if (own === undefined || !arrivals.delete(item)) return false
      own.splice(own.lastIndexOf(item), 1)
      byGroup[flow.group].size -= 1
      if (own.length === 0) byGroup[flow.group].flows.delete(flow.name)
      rank(flow)
      return true
    },
    oldest() {
      for (const item of arrivals) return item
      return null
    },
    countOf: (flow) => items(flow)?.length ?? 0,
    sizeOf: (group) => byGroup[group].size,
    longest() {
      const name = ranking.top()?.key ?? ''
      for (const group of groups) {
        const own = byGroup[group].flows.get(name)
        if (own !== undefined) return own
      }
      return []
    },
    longestOf: (group) => byGroup[group].flows.get(byGroup[group].ranking.top()?.key ?? '') ?? [],
    *flows() {
      for (const group of groups) yield* byGroup[group].flows.values()
    },
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
