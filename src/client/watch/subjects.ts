import {
  PaymentEventsSinceDocument,
  PaymentEventStreamDocument,
  PaymentLinkNowDocument,
  PaymentLinkSinceDocument,
  PaymentLinkUpdatesDocument,
  PaymentNowDocument,
  PaymentSinceDocument,
  PaymentUpdatesDocument,
  type LoggedPartsFragment,
  type PaymentEventFilter,
} from '../generated/documents.ts'
import type { AnyDocument } from '../graph-endpoint.ts'
import type { Page, State, Subject } from './watched-subject.ts'

/** The id of the subject, and the language of its labels. */
type Which = { readonly id: string; readonly statusToken: string | null; readonly locale: string | null }

/** Events per poll: as many as fit into the server's limit for the cost of an operation. */
const PAGE = 40

export function linkSubject(which: Which): Subject {
  return {
    field: 'paymentLinkUpdates',
    document: untyped(PaymentLinkUpdatesDocument),
    variables: which,
    isOneStream: true,
    poll: {
      now: async (ask) => linkState((await ask(PaymentLinkNowDocument, which)).paymentLink),
      since: async (ask, after) => {
        const { paymentLink } = await ask(PaymentLinkSinceDocument, { ...which, after, first: PAGE })
        return pageOf(linkState(paymentLink), paymentLink?.events)
      },
    },
  }
}

export function paymentSubject(which: Which): Subject {
  return {
    field: 'paymentUpdates',
    document: untyped(PaymentUpdatesDocument),
    variables: which,
    isOneStream: true,
    poll: {
      now: async (ask) => paymentState((await ask(PaymentNowDocument, which)).payment),
      since: async (ask, after) => {
        const { payment } = await ask(PaymentSinceDocument, { ...which, after, first: PAGE })
        return pageOf(paymentState(payment), payment?.events)
      },
    },
  }
}

export function eventsSubject(filter: PaymentEventFilter | null, locale: string | null): Subject {
  return {
    field: 'paymentEventStream',
    document: untyped(PaymentEventStreamDocument),
    variables: { filter, locale },
    isOneStream: false,
    poll: {
      now: null,
      since: async (ask, after) => {
        const { paymentEvents } = await ask(PaymentEventsSinceDocument, { filter, locale, after, first: PAGE })
        return pageOf({ link: null, payment: null }, paymentEvents)
      },
    },
  }
}

type LinkNow = (State['link'] & { readonly payment: State['payment'] }) | null
type PaymentNow = (State['payment'] & { readonly link: State['link'] }) | null

function linkState(read: LinkNow): State | null {
  if (read === null) return null
  const { payment, ...link } = read
  return { link: without(link, 'events'), payment }
}

function paymentState(read: PaymentNow): State | null {
  if (read === null) return null
  const { link, ...payment } = read
  return { link, payment: without(payment, 'events') }
}

function pageOf(state: State | null, events: LoggedPartsFragment | null | undefined): Page | null {
  if (state === null || events === null || events === undefined) return null
  return { state, events: events.nodes, ...events.pageInfo }
}

function without<Value extends object>(value: Value, key: string): Value {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as Value
}

/** Removes the type of the variables, which are completed when the operation is sent. */
function untyped<Data, Variables>(document: AnyDocument<Data, Variables>): Subject['document'] {
  return document as Subject['document']
}
