/** Those who want to know when the log has grown. */
export type AppendListeners = {
  /** Gives the function that ends it. */
  add(listener: () => void): () => void
  notify(): void
}

/** Listeners that know nothing of each other: one that throws silences no other, and ends up as an uncaught error. */
export function createAppendListeners(): AppendListeners {
  const entries = new Set<{ readonly listener: () => void }>()
  return {
    add(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => {
        entries.delete(entry)
      }
    },
    notify() {
      for (const { listener } of entries) {
        try {
          listener()
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
