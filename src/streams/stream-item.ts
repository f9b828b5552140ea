import type { Agreement } from '../domain/agreements/agreement.ts'
import type { PaymentEvent } from '../domain/payments/payment-event.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'

/** One item of a stream. Positions are of the log; the edge turns them into cursors. */
export type StreamItem = {
  readonly position: number
  /** Position of the item before it on this stream; null on the first item of a stream that continues nothing. */
  readonly previous: number | null
} & (
  | ({ readonly kind: 'SNAPSHOT' } & Snapshot)
  | { readonly kind: 'EVENT'; readonly event: PaymentEvent }
  | { readonly kind: 'CAUGHT_UP' }
  | { readonly kind: 'RESYNC_REQUIRED'; readonly reason: string }
)

/** The state of what a stream is about, at one moment. */
export type Snapshot = {
  readonly link: PaymentLink | null
  readonly payment: Payment | null
  readonly agreement: Agreement | null
}

/** Where a stream begins. */
export type StreamStart =
  /** With the state as it is, and then what follows the position at which it was read. */
  | ({ readonly kind: 'snapshot'; readonly head: number } & Snapshot)
  /** With what follows a position that the client has seen. */
  | { readonly kind: 'after'; readonly position: number }
  /** With what comes from now on. */
  | { readonly kind: 'now' }
  /** With RESYNC_REQUIRED, and then the end. */
  | { readonly kind: 'nowhere'; readonly reason: string }
