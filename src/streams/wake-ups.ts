import type { PaymentEvent } from '../domain/payments/payment-event.ts'

/** Called when another node may have appended events: all up to `position` are committed; null if it is not known up to where. */
export type WakeListener = (position: number | null) => void

/**
 * Tells the other nodes on the same database that the log has grown, and this one when theirs have. A wake-up contains a position and
 * never data, and may be lost: the poll of the tail finds what none announced.
 */
export type WakeUps = {
  /** Announces events that this node has committed. Returns at once. */
  announce(events: readonly PaymentEvent[]): void
  /** Sets the listener. */
  onWake(listener: WakeListener): void
  /** Begins to hear of the events of one stream, or of all (null). After that the listener is called once, for what came meanwhile. */
  follow(streamId: string | null): void
  /** Ends what `follow` began. */
  unfollow(streamId: string | null): void
  /** Whether wake-ups of other nodes arrive at present. */
  readonly isConnected: boolean
  /** Resolves when what was announced has been sent, or after half a second. */
  close(): Promise<void>
}

/** For a database that only one process uses. */
export const NO_WAKE_UPS: WakeUps = {
  announce: () => {},
  onWake: () => {},
  follow: () => {},
  unfollow: () => {},
  isConnected: false,
  close: () => Promise.resolve(),
}
