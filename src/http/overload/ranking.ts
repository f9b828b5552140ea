/** Keys by a score that is a whole number from 0, of which the highest is found without looking at the others. */
export type Ranking = {
  /** Sets the score of a key; null takes it out. */
  set(key: string, score: number | null): void
  /** The key with the highest score; among equals the one whose score was set last. Null when there is none. */
  top(): { readonly key: string; readonly score: number } | null
}

type Entry = { readonly key: string; readonly score: number }

/** Entries of a score that may be out of date, beyond as many as there are keys, before they are removed. */
const SLACK = 64

/**
 * Keeps a stack of keys for each score. An entry that another one has replaced stays in its stack until it is on top, or until
 * half of the stack is such entries, so that every call takes constant time on average.
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
