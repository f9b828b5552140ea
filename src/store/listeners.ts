/** The listeners of something that happens in the store, each called with the same value. */
export type Listeners<Value> = {
  /** Returns the function that removes the listener. */
  add(listener: (value: Value) => void): () => void
  notify(value: Value): void
}

/** Creates an empty set of listeners. If one throws, the others are still called, and its error is rethrown as an uncaught error. */
export function createListeners<Value>(): Listeners<Value> {
  const entries = new Set<{ readonly listener: (value: Value) => void }>()
  return {
    add(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => {
        entries.delete(entry)
      }
    },
    notify(value) {
      for (const { listener } of entries) {
        try {
          listener(value)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
