import type { Network } from './network.ts'

export type PaymentState = {
  readonly id: string
  readonly status: string
  readonly version: number
  readonly provisional: boolean
  readonly refunded: { readonly value: string } | null
}

export type EventNode = {
  readonly id: string
  readonly sequence: number
  readonly kind: string
  readonly source: string
  readonly fromStatus: string | null
  readonly toStatus: string | null
}

export type LinkHistory = {
  readonly state: string
  readonly payment: PaymentState | null
  /** All events after the link's creation. */
  readonly events: readonly EventNode[]
}

const HISTORY = `query History($id: ID!) {
  paymentLink(id: $id) {
    state
    payment { id status version provisional refunded { value } }
    events(first: 100) { nodes { id sequence kind source fromStatus toStatus } }
  }
}`

type Answer = { paymentLink: { state: string; payment: PaymentState | null; events: { nodes: EventNode[] } } }

/** Returns a link's state and its events. Throws if the sequence numbers of the events have a gap. */
export async function historyOf(network: Pick<Network, 'ask'>, linkId: string): Promise<LinkHistory> {
  const { data } = await network.ask<Answer>(HISTORY, { id: linkId })
  const { state, payment, events } = data.paymentLink
  events.nodes.forEach(({ sequence }, index) => {
    if (sequence !== index + 1) throw new Error(`The log has a hole: ${JSON.stringify(events.nodes)}`)
  })
  return { state, payment, events: events.nodes.slice(1) }
}

/** Returns an event in the short form of the tests of the order: its new status or its kind, and its source. */
export function told({ source, kind, toStatus }: EventNode): string {
  return kind === 'PAYMENT_STATUS_CHANGED' ? `${toStatus} by ${source}` : `${kind} by ${source}`
}

export const REFRESH = `mutation Refresh($id: ID!) {
  refreshPayment(id: $id) {
    __typename
    ... on RefreshPaymentSuccess { changed payment { id status version provisional } link { id state } }
    ... on PaymentsUpstreamRejectedError { httpStatus }
    ... on PaymentsUpstreamUnavailableError { retryAfterSeconds }
    ... on PaymentsCredentialsRejectedError { site }
    ... on PaymentsError { code retryable }
  }
}`
