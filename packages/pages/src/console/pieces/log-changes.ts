import { createContext } from 'preact'
import type { EventPartsFragment } from '../generated/graphql.ts'
import type { AmountValue } from './values.tsx'

/** Takes new events of the log; null when anything may have changed, because the stream was interrupted or connected anew. */
type LogListener = (events: readonly FeedEvent[] | null) => void

/** Tells the views that the log has grown, so that each reads again what the events concern. */
export type LogChanges = {
  /** Calls the listener for each change. Returns the function that stops it. */
  readonly listen: (listener: LogListener) => () => void
  readonly tell: LogListener
}

/** Creates the changes of one session's event stream. */
export function createLogChanges(): LogChanges {
  const listeners = new Set<LogListener>()
  return {
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (events) => {
      for (const listener of listeners) listener(events)
    },
  }
}

/** Outside of a session nothing changes. */
export const LogContext = createContext<LogChanges>(createLogChanges())

/** An event as the feed shows it. */
export type FeedEvent = EventPartsFragment & {
  readonly paymentId: string | null
  readonly linkId: string | null
  readonly agreementId: string | null
  readonly payoutId: string | null
  readonly gatewayPaymentId: string | null
  readonly reference: string | null
  readonly amount: AmountValue | null
}
