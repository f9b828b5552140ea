import { type PaymentStatus, recogniseStatus } from '../payments/payment-report.ts'
import type { Disposition } from '../payments/payment.ts'
import type { GatewayCreationKind } from './gateway-decisions.ts'

/** `created`: started, and no callback has reported anything yet. */
export type GatewayPaymentStatus = 'created' | PaymentStatus

/**
 * What is known of a gateway payment, as it was requested: the payments API has no endpoint that reads one. The page for the payer is not part
 * of it: its URL contains the order.
 */
export type GatewayPaymentFacts = {
  /** The merchant's own id of the order. */
  readonly orderId: string | null
  /** As requested, plain digits. */
  readonly amount: string | null
  readonly currency: string | null
  readonly description: string | null
}

/** A report about a gateway payment: a callback, which contains no more than an order and a status, or the response to its creation. */
export type GatewayPaymentReport = GatewayPaymentFacts & {
  /** The upstream `payment_id`. */
  readonly id: string
  readonly statusRaw: string
  /** Null if this version does not recognise the status. */
  readonly status: GatewayPaymentStatus | null
}

/** A gateway payment: the result of its events. */
export type GatewayPayment = GatewayPaymentFacts &
  NewGatewayPayment & {
    /** Sequence of the last event that changed it. */
    readonly version: number
    readonly statusRaw: string
    /** Null while the last status is one that this version does not recognise. */
    readonly status: GatewayPaymentStatus | null
    /** Its creation is not confirmed, or a status is open. Nothing can be read that would decide: an operator does (`provisionalBy`). */
    readonly provisional: boolean
    /** Only callbacks have shown that it exists: no response to its creation was recorded, so its facts are those of the request. */
    readonly unanswered: boolean
    /** Status of the last callback that contradicts the state or replaced a status that is not recognised; null without a doubt. */
    readonly contradictedBy: string | null
    /** Identity of the operator who has settled it last; null if none has, or if the token named nobody. */
    readonly settledBy: string | null
    /** Instant of its first event, ISO 8601 in UTC. */
    readonly createdAt: string
    /** Instant of the last change, ISO 8601 in UTC. */
    readonly updatedAt: string
  }

/** The ids of a gateway payment of which nothing else is known. */
export type NewGatewayPayment = {
  readonly id: string
  /** Our correlation id, created before the request was sent: the last segment of the callback URL. */
  readonly ref: string
  readonly streamId: string
  readonly site: string
}

/** What an operator has found out in the payments API's own pages. */
export type GatewaySettlement = {
  /** The number of the event on which the operator decided. */
  readonly version: number
  readonly status: GatewayPaymentStatus
  readonly settledBy: string | null
}

export type GatewayPaymentChange = Pick<
  GatewayPayment,
  'statusRaw' | 'status' | 'unanswered' | 'contradictedBy' | 'settledBy'
> & {
  readonly kind:
    | 'GATEWAY_PAYMENT_CREATED'
    | 'GATEWAY_PAYMENT_STATUS_CHANGED'
    | 'GATEWAY_PAYMENT_DETAILS_CHANGED'
    | 'GATEWAY_PAYMENT_SETTLED'
  readonly facts: GatewayPaymentFacts
}

export type GatewayPaymentDecision = {
  readonly disposition: Disposition
  /** The change to record as an event; null if nothing changes. */
  readonly change: GatewayPaymentChange | null
  /** Whether the payment is provisional from now on; null leaves it unchanged. */
  readonly provisional: boolean | null
  /** Always false: the payments API has no endpoint that reads a gateway payment. */
  readonly confirm: false
}

/** Returns the id of the stream that contains the events of a gateway payment. */
export function gatewayStreamId(id: string): string {
  return `${STREAM}${id}`
}

/** Returns whether a stream contains the events of a gateway payment. */
export function isGatewayStream(streamId: string): boolean {
  return streamId.startsWith(STREAM)
}

/** Returns whether events of this kind are about gateway payments. */
export function isGatewayKind(kind: string): kind is GatewayPaymentChange['kind'] | GatewayCreationKind {
  return kind in KINDS
}

const STREAM = 'gateway:'
const KINDS: Readonly<Record<GatewayPaymentChange['kind'] | GatewayCreationKind, true>> = {
  GATEWAY_PAYMENT_CREATED: true,
  GATEWAY_PAYMENT_STATUS_CHANGED: true,
  GATEWAY_PAYMENT_DETAILS_CHANGED: true,
  GATEWAY_PAYMENT_SETTLED: true,
  GATEWAY_PAYMENT_NOT_CREATED: true,
}

/**
 * Returns the status of a callback; null if it is not recognised. Its values are not documented: those of payments are taken as an open set
 * (gap sheet, section 4).
 */
export function gatewayStatus(raw: string): GatewayPaymentStatus | null {
  return raw === 'created' ? 'created' : recogniseStatus(raw)
}

/** Returns the gateway payment after a change. For the first change, `state` contains only the ids of the new one. */
export function evolveGatewayPayment(
  state: GatewayPayment | NewGatewayPayment,
  change: GatewayPaymentChange,
  recorded: { readonly sequence: number; readonly at: string; readonly provisional: boolean },
): GatewayPayment {
  return {
    ...change.facts,
    id: state.id,
    ref: state.ref,
    streamId: state.streamId,
    site: state.site,
    version: recorded.sequence,
    statusRaw: change.statusRaw,
    status: change.status,
    provisional: recorded.provisional,
    unanswered: change.unanswered,
    contradictedBy: change.contradictedBy,
    settledBy: change.settledBy,
    createdAt: 'version' in state ? state.createdAt : recorded.at,
    updatedAt: recorded.at,
  }
}

/** Returns the known facts, and where one is missing that of a report. */
export function filledIn(known: GatewayPaymentFacts, told: GatewayPaymentFacts): GatewayPaymentFacts {
  return {
    orderId: known.orderId ?? told.orderId,
    amount: known.amount ?? told.amount,
    currency: known.currency ?? told.currency,
    description: known.description ?? told.description,
  }
}
