import type { AnyDocument } from '../endpoint.ts'
import type {
  AgreementPartsFragment,
  EventPartsFragment,
  ItemPartsFragment,
  LinkPartsFragment,
  PaymentPartsFragment,
} from '../generated/documents.ts'

/** A link as a status page needs it. */
export type LinkDetails = LinkPartsFragment
/** A payment as a status page needs it. */
export type PaymentDetails = PaymentPartsFragment
/** An event without what it is about. */
export type EventDetails = EventPartsFragment
/** An agreement, as far as an event names it. */
export type AgreementDetails = AgreementPartsFragment
/** An item as a server sends it; of all streams the one of every event alone names agreements. */
export type StreamItem = ItemPartsFragment & { readonly agreement?: AgreementDetails | null }

export type State = { readonly link: LinkDetails | null; readonly payment: PaymentDetails | null }

export type LoggedEvent = State & EventDetails & { readonly agreement?: AgreementDetails | null }

/** Events after a cursor, oldest first, and the state that was read before them. */
export type Page = {
  readonly state: State
  readonly events: readonly LoggedEvent[]
  readonly endCursor: string | null
  readonly hasNextPage: boolean
}

export type AskOne = <Data, Variables>(document: AnyDocument<Data, Variables>, variables: Variables) => Promise<Data>

/** How a subject is read where nothing can be streamed. Null for one that is not there, or not for the caller. */
export type Poll = {
  /** The state as it is; null for a subject that has none. */
  readonly now: ((ask: AskOne) => Promise<State | null>) | null
  since(ask: AskOne, after: string | null): Promise<Page | null>
}

/** What is followed. */
export type Subject = {
  /** The field of the subscription. */
  readonly field: string
  readonly document: AnyDocument<unknown, Record<string, unknown>>
  readonly variables: Readonly<Record<string, unknown>>
  /** Events are of one stream, so that their sequences rise. */
  readonly isOneStream: boolean
  readonly poll: Poll
}

/** One step of a watch. */
export type PaymentUpdate = {
  /** `SNAPSHOT`: the state now. `EVENT`: something happened. `CAUGHT_UP`: all that was recorded has come; what follows is live. */
  readonly kind: 'SNAPSHOT' | 'EVENT' | 'CAUGHT_UP'
  /** Give it as `after` to continue from here. */
  readonly cursor: string
  readonly event: EventDetails | null
  readonly link: LinkDetails | null
  readonly payment: PaymentDetails | null
  /** The agreement that the event is about, on `watchPaymentEvents` alone; null without `agreements:read`. */
  readonly agreement: AgreementDetails | null
  /** The server's clock when the update was made; null where there is no link to tell it. */
  readonly serverTime: string | null
}

/** One step of `watchPaymentLink`. */
export type PaymentLinkUpdate = PaymentUpdate
