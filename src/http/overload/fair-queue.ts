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
type GroupFlows<Item> = { readonly flows: Map<string, Item[]>; size: number }

/** The lengths of the flows: of all, and of those of each group of which `mayLose` is true. */
type Rankings<Group extends string> = { readonly all: Ranking; readonly byGroup: Readonly<Record<Group, Ranking>> }

/**
 * `mayLose` returns whether one of the items of a flow may be removed for others. The flows are ranked from the first question for the
 * longest until the queue is empty: otherwise it would cost each request as much as the rest of its queueing.
 */
export function createFairQueue<Item, Group extends string>(
  groups: readonly Group[],
  mayLose: (items: readonly Item[]) => boolean,
): FairQueue<Item, Group> {
  const byGroup = perGroup(groups, (): GroupFlows<Item> => ({ flows: new Map(), size: 0 }))
  let rankings: Rankings<Group> | null = null
  /** In order of arrival. */
  const arrivals = new Set<Item>()
  const items = ({ name, group }: Flow<Group>) => byGroup[group].flows.get(name)
  /** The groups, in order of service. */
  let order = groups

  const rank = (flow: Flow<Group>) => {
    const own = items(flow)
    rankings?.all.set(flow.name, own?.length ?? null)
    rankings?.byGroup[flow.group].set(flow.name, own === undefined || !mayLose(own) ? null : own.length)
  }
  const ranked = (): Rankings<Group> => {
    if (rankings !== null) return rankings
    rankings = { all: createRanking(), byGroup: perGroup(groups, createRanking) }
    for (const group of groups) for (const name of byGroup[group].flows.keys()) rank({ name, group })
    return rankings
  }
  const changed = (flow: Flow<Group>) => {
    if (arrivals.size === 0) rankings = null
    if (rankings !== null) rank(flow)
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
      changed(flow)
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
      if (order.at(-1) !== flow.group) order = [...order.filter((group) => group !== flow.group), flow.group]
      arrivals.delete(item)
      changed(flow)
      return item
    },
    hasNext: (mayBegin) => nextFlow(mayBegin) !== null,
    remove(flow, item) {
      const own = items(flow)
      if (own === undefined || !arrivals.delete(item)) return false
      own.splice(own.lastIndexOf(item), 1)
      byGroup[flow.group].size -= 1
      if (own.length === 0) byGroup[flow.group].flows.delete(flow.name)
      changed(flow)
      return true
    },
    oldest() {
      for (const item of arrivals) return item
      return null
    },
    countOf: (flow) => items(flow)?.length ?? 0,
    sizeOf: (group) => byGroup[group].size,
    longest() {
      const name = ranked().all.top()?.key ?? ''
      for (const group of groups) {
        const own = byGroup[group].flows.get(name)
        if (own !== undefined) return own
      }
      return []
    },
    longestOf: (group) => byGroup[group].flows.get(ranked().byGroup[group].top()?.key ?? '') ?? [],
    *flows() {
      for (const group of groups) yield* byGroup[group].flows.values()
    },
  }
}

function perGroup<Group extends string, Value>(groups: readonly Group[], make: () => Value): Record<Group, Value> {
  return Object.fromEntries(groups.map((group) => [group, make()])) as Record<Group, Value>
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
