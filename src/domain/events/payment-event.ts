import type { Agreement, AgreementChange } from '../agreements/agreement.ts'
import type { GatewayPayment, GatewayPaymentChange } from '../gateway/gateway-payment.ts'
import type { Payment, PaymentChange } from '../payments/payment.ts'
import type { Payout, PayoutChange } from '../payouts/payout.ts'

/** OTHER: of a kind that this version does not know. During an upgrade, nodes of the next version write to the same log. */
export type PaymentEventKind =
  | 'LINK_CREATED'
  | 'LINK_EXPIRED'
  | PaymentChange['kind']
  | AgreementChange['kind']
  | PayoutChange['kind']
  | GatewayPaymentChange['kind']
  | 'OTHER'

/** WEBHOOK: reported by a webhook. READ: found by a read. COMMAND: the response to a mutation. */
export type EventSource = 'WEBHOOK' | 'READ' | 'COMMAND'

/** One change of state, immutable once recorded. */
export type PaymentEvent = {
  /** `<stream>.<sequence>` */
  readonly id: string
  readonly streamId: string
  /** Position within its stream: 1, 2, 3 ... without gaps. */
  readonly sequence: number
  /** Position in the whole log, increasing in commit order. */
  readonly position: number
  readonly kind: PaymentEventKind
  readonly source: EventSource
  /** Subject or client of the token with which the command, read or replay was asked for; null for what nobody asked for. */
  readonly requestedBy: string | null
  readonly fromStatus: string | null
  readonly toStatus: string | null
  readonly linkRef: string | null
  /** The payment after this event. */
  readonly payment: Payment | null
  /** The agreement after this event. */
  readonly agreement: Agreement | null
  /** The payout after this event. */
  readonly payout: Payout | null
  /** The gateway payment after this event. */
  readonly gatewayPayment: GatewayPayment | null
  /** ISO 8601 instant in UTC. */
  readonly recordedAt: string
}

/** Returns the id of an event: stable, and readable in logs. */
export function eventId(streamId: string, sequence: number): string {
  return `${streamId}.${sequence}`
}

/** PostgreSQL refuses to compare a column of type `integer` with more. */
const LAST_SEQUENCE = 2 ** 31 - 1

/** Parses an event id. Returns null if the text is not one. */
export function parseEventId(id: string): { streamId: string; sequence: number } | null {
  const match = /^((?:link|payment|agreement|payout|gateway):[\w-]{1,128})\.([1-9]\d{0,9})$/.exec(id)
  const sequence = Number(match?.[2])
  return match === null || sequence > LAST_SEQUENCE ? null : { streamId: match[1] ?? '', sequence }
}
