import type { PaymentEvent } from '../domain/payments/payment-event.ts'

/** Called with the events of one commit, by position. */
export type AppendListener = (events: readonly PaymentEvent[]) => void

/** What is told of each commit that has appended events. */
export type AppendListeners = {
  /** Returns the function that removes the listener. */
  add(listener: AppendListener): () => void
  notify(events: readonly PaymentEvent[]): void
}

/** Listeners that know nothing of each other: one that throws silences no other, and ends up as an uncaught error. */
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
