/** Keys with integer scores from 0; finds the highest in constant time. */
export type Ranking = {
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
