import type { PaymentEvent } from '../domain/payments/payment-event.ts'

/** Called with the events of one commit, by position. */
export type AppendListener = (events: readonly PaymentEvent[]) => void

/** The listeners of commits that appended events. */
export type AppendListeners = {
  /** Returns the function that removes the listener. */
  add(listener: AppendListener): () => void
  notify(events: readonly PaymentEvent[]): void
}

/** Creates an empty set of listeners. If one throws, the others are still called, and its error is rethrown as an uncaught error. */
export function createAppendListeners(): AppendListeners {
  const entries = new Set<{ readonly listener: AppendListener }>()
  return {
    add(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => {
        entries.delete(entry)
      }
    },
    notify(events) {
      for (const { listener } of entries) {
        try {
          listener(events)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
