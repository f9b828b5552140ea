/** Tells when tokens of open streams are no longer valid. */
export type TokenWatch = {
  /** Calls `onRefused` when the token is refused although it has not expired. Returns the function that ends the watch. */
  add(token: string, onRefused: () => void): () => void
  /** Looks at the tokens whose verification may have changed since the last look. */
  check(): Promise<void>
}

export type TokenWatchOptions = {
  /** Whether a token is still valid; rejects when that cannot be told at the moment. */
  readonly isValid: (token: string) => Promise<boolean>
  /** Brings the keys up to date, and gives a number that changes with them. */
  readonly generation: () => Promise<number>
  /** Milliseconds between two looks. */
  readonly intervalMs: number
}

/**
 * Creates a watch that verifies the tokens of streams again when the keys have changed. As long as they have not, a look
 * costs nothing but the new tokens, each of them once.
 */
export function createTokenWatch({ isValid, generation, intervalMs }: TokenWatchOptions): TokenWatch {
  const watched = new Map<string, Set<() => void>>()
  const unchecked = new Set<string>()
  let checkedGeneration: number | null = null
  let timer: NodeJS.Timeout | undefined

  const refuse = (token: string) => {
    for (const onRefused of watched.get(token) ?? []) onRefused()
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
        // Nothing is known about it: it is looked at again.
        if (watched.has(token)) unchecked.add(token)
      }
    }
  }

  const remove = (token: string, onRefused: () => void) => {
    const actions = watched.get(token)
    actions?.delete(onRefused)
    if (actions?.size !== 0) return
    watched.delete(token)
    unchecked.delete(token)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    add(token, onRefused) {
      // A set holds each function once, and every watch is one of its own.
      const action = () => onRefused()
      watched.set(token, (watched.get(token) ?? new Set()).add(action))
      // The keys may have changed between its verification and now.
      unchecked.add(token)
      timer ??= setInterval(() => void check(), intervalMs).unref()
      return () => remove(token, action)
    },
    check,
  }
}
