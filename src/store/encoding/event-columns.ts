import type { EventSource, PaymentEventKind } from '../../domain/payments/payment-event.ts'
import { directPaymentStreamId } from '../../domain/payments/payment-link.ts'

/** Never to be changed: databases hold them. */
const KINDS: Readonly<Record<PaymentEventKind, string>> = {
  LINK_CREATED: 'L',
  LINK_EXPIRED: 'X',
  PAYMENT_STATUS_CHANGED: 'S',
  PAYMENT_DETAILS_CHANGED: 'D',
  AGREEMENT_CREATED: 'A',
  AGREEMENT_STATUS_CHANGED: 'T',
  AGREEMENT_AMENDED: 'M',
}
const KIND_OF = new Map(Object.entries(KINDS).map(([kind, code]) => [code, kind as PaymentEventKind]))

/** What `events.kind` holds. */
export function encodeKind(kind: PaymentEventKind): string {
  return KINDS[kind]
}

/** Also reads whole names, as earlier versions stored them. */
export function decodeKind(stored: string): PaymentEventKind {
  return KIND_OF.get(stored) ?? (stored as PaymentEventKind)
}

/** Everything that `events.kind` may hold for some kinds. */
export function storedKinds(kinds: readonly PaymentEventKind[]): string[] {
  return kinds.flatMap((kind) => [KINDS[kind], kind])
}

/** Never to be changed, as the kinds. */
const SOURCES: Readonly<Record<EventSource, string>> = { WEBHOOK: 'W', READ: 'R', COMMAND: 'C' }
const SOURCE_OF = new Map(Object.entries(SOURCES).map(([source, code]) => [code, source as EventSource]))

/** What `events.source` holds. */
export function encodeSource(source: EventSource): string {
  return SOURCES[source]
}

/** Also reads whole names, as earlier versions stored them. */
export function decodeSource(stored: string): EventSource {
  return SOURCE_OF.get(stored) ?? (stored as EventSource)
}

const DIRECT = directPaymentStreamId('')

/** What `events.payment_id` holds: nothing where the stream is named after the payment. */
export function encodePaymentId(paymentId: string | null, streamId: string): string | null {
  return paymentId === null || streamId === directPaymentStreamId(paymentId) ? null : paymentId
}

/** The payment that an event is about, or null. Also reads rows of earlier versions, which hold every id. */
export function decodePaymentId(stored: string | null, streamId: string): string | null {
  return stored ?? (streamId.startsWith(DIRECT) ? streamId.slice(DIRECT.length) : null)
}

/** The same in SQL. */
export const PAYMENT_ID_SQL = `coalesce(payment_id, case when stream_id like '${DIRECT}%' then substr(stream_id, ${DIRECT.length + 1}) end)`
