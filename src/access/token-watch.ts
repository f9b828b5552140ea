/** Called when an accepted token is rejected before it expires, because its key was withdrawn. */
export type TokenWatcher = { onTokenEnd(reason: 'withdrawn'): void }

/** Detects tokens of open streams that have become invalid. */
export type TokenWatch = {
  /** Calls `onTokenEnd` of the watcher if the token is rejected although it has not expired. */
  add(token: string, watcher: TokenWatcher): void
  delete(token: string, watcher: TokenWatcher): void
  /** Checks the tokens whose verification may have changed since the last check. */
  check(): Promise<void>
}

export type TokenWatchOptions = {
  /** Returns whether a token is still valid; rejects if that cannot be determined now. */
  readonly isValid: (token: string) => Promise<boolean>
  /** Updates the keys if needed, and returns a number that changes with them. */
  readonly generation: () => Promise<number>
  /** Milliseconds between two checks. */
  readonly intervalMs: number
}

/**
 * Creates a watch that verifies the tokens of streams again after the keys have changed. While they are unchanged, a check verifies only
 * the tokens added since the last one.
 */
export function createTokenWatch({ isValid, generation, intervalMs }: TokenWatchOptions): TokenWatch {
  // Most tokens have one stream, and a Set per token would need more memory than everything else.
  const watched = new Map<string, TokenWatcher | Set<TokenWatcher>>()
  const unchecked = new Set<string>()
  let checkedGeneration: number | null = null
  let timer: NodeJS.Timeout | undefined

  const refuse = (token: string) => {
    const watchers = watched.get(token)
    for (const watcher of watchers instanceof Set ? [...watchers] : [watchers]) watcher?.onTokenEnd('withdrawn')
  }

  const check = async () => {
    const current = await generation()
    const due = current === checkedGeneration ? [...unchecked] : [...watched.keys()]
    unchecked.clear()
    checkedGeneration = current
    for (const token of due) {
      try {
        if (!(await isValid(token))) refuse(token)
      } catch {
        // Cannot be verified now: it is checked again later.
        if (watched.has(token)) unchecked.add(token)
      }
    }
  }

  return {
    add(token, watcher) {
      const others = watched.get(token)
      if (others instanceof Set) others.add(watcher)
      else watched.set(token, others === undefined ? watcher : new Set([others, watcher]))
      // The keys may have changed between its verification and now.
      unchecked.add(token)
      timer ??= setInterval(() => void check(), intervalMs).unref()
    },
    delete(token, watcher) {
      const watchers = watched.get(token)
      if (watchers instanceof Set) watchers.delete(watcher)
      if (watchers !== watcher && !(watchers instanceof Set && watchers.size === 0)) return
      watched.delete(token)
      unchecked.delete(token)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
    check,
  }
}
