import type { Connection, Transport, Timing, WakeSource } from '../connection/connection-attempt.ts'
import type {
  AgreementPartsFragment,
  EventPartsFragment,
  ItemPartsFragment,
  LinkPartsFragment,
  PaymentEventPartsFragment,
  PaymentPartsFragment,
  PayoutPartsFragment,
  RefundPartsFragment,
} from '../generated/documents.ts'
import type { PaymentsEndpoint, AnyDocument } from '../graph-endpoint.ts'

export type WatchOptions = PaymentsEndpoint & {
  /** The status token that came with the link, payment or agreement; it replaces the caller's token. */
  readonly statusToken?: string
  /** Cursor of the last processed update. Default: start with a snapshot. */
  readonly after?: string
  /** Transports to use, best first. Default: socket, sse, polling. */
  readonly transports?: readonly Transport[]
  /** Milliseconds between two polls. Default: 3000. */
  readonly pollMs?: number
  /** Language of labels and messages for the payer, as a BCP 47 tag. Default: English. */
  readonly locale?: string
  /** When aborted, ends the subscription. */
  readonly signal?: AbortSignal
  /** Called for every change of the connection state. */
  readonly onConnection?: (connection: Connection) => void
  /**
   * Reports that the app is active again, besides the browser's own events. In React Native:
   * `(check) => { const s = AppState.addEventListener('change', check); return () => s.remove() }`
   */
  readonly wake?: WakeSource
  /** Timeouts and delays. */
  readonly timing?: Partial<Timing>
}

/** The fields of a link that a status page needs. */
export type LinkDetails = LinkPartsFragment
/** The fields of a payment that a status page needs. */
export type PaymentDetails = PaymentPartsFragment
/** The fields of a refund that a status page needs. */
export type RefundDetails = RefundPartsFragment
/**
 * An event. `after` is the payment after it, and `refund` the refund that it reports or changes, as it was then; both are absent from the events
 * of agreements and payouts.
 */
export type EventDetails = EventPartsFragment & Partial<PaymentEventPartsFragment>
/** The fields of an agreement that a back office needs. */
export type AgreementDetails = AgreementPartsFragment
/** The fields of a payout that a back office needs. */
export type PayoutDetails = PayoutPartsFragment
/**
 * An item as a server sends it. Only the streams of an agreement and of all events include agreements, and only that of a payout payouts;
 * those of an agreement and of a payout include neither links nor payments.
 */
export type StreamItem = Omit<ItemPartsFragment, 'event' | 'link' | 'payment'> &
  Partial<State> & { readonly event: EventDetails | null }

export type State = {
  readonly link: LinkDetails | null
  readonly payment: PaymentDetails | null
  readonly agreement?: AgreementDetails | null
  readonly payout?: PayoutDetails | null
}

type LoggedEvent = Partial<State> & EventDetails

/** Events after a cursor, oldest first, and the state that was read before them. */
export type Page = {
  readonly state: State
  readonly events: readonly LoggedEvent[]
  readonly endCursor: string | null
  readonly hasNextPage: boolean
}

export type AskOne = <Data, Variables>(document: AnyDocument<Data, Variables>, variables: Variables) => Promise<Data>

/** How to poll a subject. Null when the subject does not exist or the caller may not read it. */
type Poll = {
  /** Reads the current state; null for a subject that has none. */
  readonly now: ((ask: AskOne) => Promise<State | null>) | null
  since(ask: AskOne, after: string | null): Promise<Page | null>
}

/** A subject of a subscription: a link, a payment, an agreement, a payout, or all events. */
export type Subject = {
  /** The name of the subscription field. */
  readonly field: string
  readonly document: AnyDocument<unknown, Record<string, unknown>>
  readonly variables: Readonly<Record<string, unknown>>
  /** Whether all events belong to one stream, so that their sequence numbers increase. */
  readonly isOneStream: boolean
  readonly poll: Poll
}

/** One update of a subscription. */
export type PaymentUpdate = {
  /**
   * `SNAPSHOT`: the current state. `EVENT`: something happened. `CAUGHT_UP`: all recorded events have arrived; later ones
   * are live.
   */
  readonly kind: 'SNAPSHOT' | 'EVENT' | 'CAUGHT_UP'
  /** Pass it as `after` to continue from here. */
  readonly cursor: string
  readonly event: EventDetails | null
  readonly link: LinkDetails | null
  /** The payment as it is now, also with an event that is replayed. */
  readonly payment: PaymentDetails | null
  /** The agreement, on `watchPaymentAgreement` and `watchPaymentEvents` only; null without `agreements:read`. */
  readonly agreement: AgreementDetails | null
  /** The payout, on `watchPayout` only. */
  readonly payout: PayoutDetails | null
  /** The server's clock when the update was made; null without a link. */
  readonly serverTime: string | null
}

/** One update of `watchPaymentLink`. */
export type PaymentLinkUpdate = PaymentUpdate
