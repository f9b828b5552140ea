import { type Agreement, type AgreementFacts, NOTHING_KNOWN } from '../../domain/agreements/agreement.ts'
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

/** Returns the kind of a stored code. `OTHER` if this version does not know it. */
export function decodeKind(stored: string): PaymentEventKind {
  return KIND_OF.get(stored) ?? 'OTHER'
}

/** Must never change, like the kinds. */
const SOURCES: Readonly<Record<EventSource, string>> = { WEBHOOK: 'W', READ: 'R', COMMAND: 'C', OPERATOR: 'O' }
const SOURCE_OF = new Map(Object.entries(SOURCES).map(([source, code]) => [code, source as EventSource]))

/** Returns the code for `events.source`. */
export function encodeSource(source: EventSource): string {
  return SOURCES[source]
}

/** Returns the source of a stored code. */
export function decodeSource(stored: string): EventSource {
  return SOURCE_OF.get(stored) ?? (stored as EventSource)
}

const DIRECT = directPaymentStreamId('')

/** Returns the value for `events.payment_id`: null if the stream is named after the payment. */
export function encodePaymentId(paymentId: string | null, streamId: string): string | null {
  return paymentId === null || streamId === directPaymentStreamId(paymentId) ? null : paymentId
}

/** Returns the id of an event's payment, or null. */
export function decodePaymentId(stored: string | null, streamId: string): string | null {
  return stored ?? (streamId.startsWith(DIRECT) ? streamId.slice(DIRECT.length) : null)
}

/** `decodePaymentId` in SQL. */
export const PAYMENT_ID_SQL = `coalesce(payment_id, case when stream_id like '${DIRECT}%' then substr(stream_id, ${DIRECT.length + 1}) end)`

/** The columns of an event that duplicate fields of its agreement. */
export type EventAgreementColumns = {
  readonly stream_id: string
  readonly sequence: number
  readonly agreement_id: string | null
  readonly to_status: string | null
  /** Milliseconds since the epoch. */
  readonly recorded_at: number
}

type RepeatedAgreement = Pick<Agreement, 'id' | 'streamId' | 'version' | 'statusRaw' | 'updatedAt'>

/** The fields of an agreement that the columns of its event do not contain; unknown facts are omitted. */
type CompactAgreement = Omit<Agreement, keyof RepeatedAgreement | keyof AgreementFacts> & {
  readonly facts: Partial<AgreementFacts>
}

/**
 * Returns the text of `events.agreement_json`: the agreement after the event, without the fields that the event's own columns contain. If
 * those columns differ from the agreement, the text contains all of it.
 */
export function encodeEventAgreement(agreement: Agreement, columns: EventAgreementColumns): string {
  const repeated = repeatedIn(columns)
  const repeats = (Object.keys(repeated) as (keyof RepeatedAgreement)[]).every(
    (key) => repeated[key] === agreement[key],
  )
  return JSON.stringify(repeats ? toCompact(agreement) : agreement)
}

/** Returns the agreement that was passed to `encodeEventAgreement`. */
export function decodeEventAgreement(text: string, columns: EventAgreementColumns): Agreement {
  const parsed = JSON.parse(text) as Agreement | CompactAgreement
  if (!('facts' in parsed)) return parsed
  const { facts, ...rest } = parsed
  return { ...NOTHING_KNOWN, ...facts, ...rest, ...repeatedIn(columns) }
}

function repeatedIn(columns: EventAgreementColumns): RepeatedAgreement {
  return {
    id: columns.agreement_id ?? '',
    streamId: columns.stream_id,
    version: columns.sequence,
    statusRaw: columns.to_status ?? '',
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
}

function toCompact(agreement: Agreement): CompactAgreement {
  const { ref, site, status, seen, provisional } = agreement
  const known = FACTS.flatMap((key) => (agreement[key] === null ? [] : [[key, agreement[key]]]))
  return { ref, site, status, seen, provisional, facts: Object.fromEntries(known) as Partial<AgreementFacts> }
}

const FACTS = Object.keys(NOTHING_KNOWN) as (keyof AgreementFacts)[]

/** The columns of an event that duplicate fields of its subject. */
export type EventSubjectColumns = {
  readonly stream_id: string
  readonly sequence: number
  readonly to_status: string
  /** Milliseconds since the epoch. */
  readonly recorded_at: number
}

type EventSubject = {
  readonly streamId: string
  readonly version: number
  readonly statusRaw: string
  readonly updatedAt: string
}

/** Returns the text of an event's subject: the payout or gateway payment after the event, without the fields that the event's own columns contain. */
export function encodeEventSubject(subject: EventSubject): string {
  const { streamId: _stream, version: _version, statusRaw: _status, updatedAt: _at, ...rest } = subject
  return JSON.stringify(rest)
}

/** Returns the fields of the subject after an event. */
export function decodeEventSubject(text: string, columns: EventSubjectColumns): EventSubject {
  return {
    ...(JSON.parse(text) as object),
    streamId: columns.stream_id,
    version: columns.sequence,
    statusRaw: columns.to_status,
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
}
