import type { EventSource, PaymentEventKind } from '../../domain/payments/payment-event.ts'
import { directPaymentStreamId } from '../../domain/payments/payment-link.ts'

/** Must never change: databases contain these codes. */
const KINDS: Readonly<Record<PaymentEventKind, string>> = {
  LINK_CREATED: 'L',
  LINK_EXPIRED: 'X',
  PAYMENT_STATUS_CHANGED: 'S',
  PAYMENT_DETAILS_CHANGED: 'D',
  DUPLICATE_PAYMENT_FOUND: 'F',
  DUPLICATE_PAYMENT_RESOLVED: 'V',
  AGREEMENT_CREATED: 'A',
  AGREEMENT_STATUS_CHANGED: 'T',
  AGREEMENT_AMENDED: 'M',
  PAYOUT_CREATED: 'P',
  PAYOUT_STATUS_CHANGED: 'O',
  PAYOUT_DETAILS_CHANGED: 'U',
  GATEWAY_PAYMENT_CREATED: 'G',
  GATEWAY_PAYMENT_STATUS_CHANGED: 'H',
  GATEWAY_PAYMENT_DETAILS_CHANGED: 'I',
  GATEWAY_PAYMENT_SETTLED: 'J',
  GATEWAY_PAYMENT_NOT_CREATED: 'N',
  // Only ever read: what a later version has written.
  OTHER: '?',
}
const KIND_OF = new Map(Object.entries(KINDS).map(([kind, code]) => [code, kind as PaymentEventKind]))

/** Returns the code for `events.kind`. */
export function encodeKind(kind: PaymentEventKind): string {
  return KINDS[kind]
}

/** Returns the kind of a stored code, or of a whole name, as earlier versions stored it. `OTHER` if this version does not know it. */
export function decodeKind(stored: string): PaymentEventKind {
  return KIND_OF.get(stored) ?? (stored in KINDS ? (stored as PaymentEventKind) : 'OTHER')
}

/** Returns all values that `events.kind` may have for these kinds. */
export function storedKinds(kinds: readonly PaymentEventKind[]): string[] {
  return kinds.flatMap((kind) => [KINDS[kind], kind])
}

/** Must never change, like the kinds. */
const SOURCES: Readonly<Record<EventSource, string>> = { WEBHOOK: 'W', READ: 'R', COMMAND: 'C', OPERATOR: 'O' }
const SOURCE_OF = new Map(Object.entries(SOURCES).map(([source, code]) => [code, source as EventSource]))

/** Returns the code for `events.source`. */
export function encodeSource(source: EventSource): string {
  return SOURCES[source]
}

/** Returns the source of a stored code. Also reads whole names, which earlier versions stored. */
export function decodeSource(stored: string): EventSource {
  return SOURCE_OF.get(stored) ?? (stored as EventSource)
}

const DIRECT = directPaymentStreamId('')

/** Returns the value for `events.payment_id`: null if the stream is named after the payment. */
export function encodePaymentId(paymentId: string | null, streamId: string): string | null {
  return paymentId === null || streamId === directPaymentStreamId(paymentId) ? null : paymentId
}

/** Returns the id of an event's payment, or null. Also reads rows of earlier versions, which contain every id. */
export function decodePaymentId(stored: string | null, streamId: string): string | null {
  return stored ?? (streamId.startsWith(DIRECT) ? streamId.slice(DIRECT.length) : null)
}

/** `decodePaymentId` in SQL. */
export const PAYMENT_ID_SQL = `coalesce(payment_id, case when stream_id like '${DIRECT}%' then substr(stream_id, ${DIRECT.length + 1}) end)`
