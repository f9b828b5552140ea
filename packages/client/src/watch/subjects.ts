import {
  PaymentAgreementSinceDocument,
  PaymentAgreementUpdatesDocument,
  PaymentEventsSinceDocument,
  PaymentEventStreamDocument,
  PaymentLinkNowDocument,
  PaymentLinkSinceDocument,
  PaymentLinkUpdatesDocument,
  PaymentNowDocument,
  PaymentSinceDocument,
  PaymentUpdatesDocument,
  PayoutSinceDocument,
  PayoutUpdatesDocument,
  type LoggedPartsFragment,
  type PaymentEventFilter,
} from '../generated/documents.ts'
import type { AnyDocument } from '../graph-endpoint.ts'
import type { AskOne, Page, State, Subject } from '../updates.ts'

/** The id of the subject, and the language of its labels. */
type Which = { readonly id: string; readonly statusToken: string | null; readonly locale: string | null }

/** Events per poll: as many as fit into the server's limit for the cost of an operation. */
const PAGE = 35

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

export function agreementSubject({ id, statusToken }: Omit<Which, 'locale'>): Subject {
  const read = async (ask: AskOne, after: string | null, first: number) => {
    const { paymentAgreement } = await ask(PaymentAgreementSinceDocument, { id, statusToken, after, first })
    const state = agreementState(paymentAgreement)
    const page = pageOf(state, paymentAgreement?.events)
    // Only callers with the scope are shown the agreement of an event.
    const withState = (event: Logged[number]) => ({ ...event, agreement: state?.agreement ?? null })
    return page && { ...page, events: page.events.map(withState) }
  }
  return {
    field: 'paymentAgreementUpdates',
    document: untyped(PaymentAgreementUpdatesDocument),
    variables: { id, statusToken },
    isOneStream: true,
    poll: {
      now: async (ask) => (await read(ask, null, 1))?.state ?? null,
      since: (ask, after) => read(ask, after, PAGE),
    },
  }
}

export function payoutSubject(id: string): Subject {
  const read = async (ask: AskOne, after: string | null, first: number) => {
    const { payout } = await ask(PayoutSinceDocument, { id, after, first })
    return pageOf(payoutState(payout), payout?.events)
  }
  return {
    field: 'payoutUpdates',
    document: untyped(PayoutUpdatesDocument),
    variables: { id },
    isOneStream: true,
    poll: {
      now: async (ask) => (await read(ask, null, 1))?.state ?? null,
      since: (ask, after) => read(ask, after, PAGE),
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

function agreementState(agreement: State['agreement']): State | null {
  if (agreement === null || agreement === undefined) return null
  return { link: null, payment: null, agreement: without(agreement, 'events') }
}

/** A payout without a version was made elsewhere: nothing of it is recorded that could be followed. */
function payoutState(payout: State['payout']): State | null {
  if (payout === null || payout === undefined || payout.version === null) return null
  return { link: null, payment: null, payout: without(payout, 'events') }
}

type Logged = Pick<Page, 'events'>['events']

function pageOf(
  state: State | null,
  events: { readonly nodes: Logged; readonly pageInfo: LoggedPartsFragment['pageInfo'] } | null | undefined,
): Page | null {
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
