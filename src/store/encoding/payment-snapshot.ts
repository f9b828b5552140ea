import { directPaymentStreamId, linkStreamId } from '../../domain/payments/payment-link.ts'
import {
  factsOf,
  PAYMENT_STATUSES,
  type PaymentStatus,
  recogniseStatus,
  type Refund,
  type PaymentDetails,
} from '../../domain/payments/payment-report.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { createTextPacker } from './delivery-columns.ts'
import { decodePaymentId } from './event-columns.ts'

/** The columns of an event that duplicate fields of its payment. */
export type EventPaymentColumns = {
  readonly stream_id: string
  readonly sequence: number
  readonly link_ref: string | null
  readonly payment_id: string | null
  readonly to_status: string | null
  /** Milliseconds since the epoch. */
  readonly recorded_at: number
}

type Identity = Pick<Payment, 'id' | 'streamId' | 'linkRef' | 'version' | 'statusRaw' | 'updatedAt'>

/** The fields of a payment besides its identity; unknown ones, and those that follow from `statusRaw`, are omitted. */
type Compact = {
  readonly facts: ReturnType<typeof shortDetails>
  /** One letter per status. */
  readonly seen?: string
  readonly provisional?: true
  readonly refunds?: readonly Refund[]
  /** Present, together with phase and rank, only if the three do not follow from `statusRaw`. */
  readonly status?: PaymentStatus | null
  readonly phase?: Payment['phase']
  readonly rank?: number
}

/** Must never change: databases contain texts that were packed with it. There is no room for another phrase. */
const packer = createTextPacker([
  '{"facts":{"currency":"AUD","amount":"',
  '{"facts":{"currency":"',
  ',"amount":"',
  ',"total":"',
  ',"paid":"',
  ',"paid":"0.0","refundable":false',
  ',"refunded":"',
  ',"refundable":true',
  ',"refundable":false',
  ',"reference":"',
  ',"methodRaw":"',
  ',"methodRaw":"card","card":{"brand":"',
  ',"card":{"brand":"',
  '","type":"',
  '","last4":"',
  '","countryCode":"',
  ',"threeDsUrl":"https://',
  ',"failureCode":"',
  ',"failureMessage":"',
  ',"instructions":{',
  ',"expiresAt":',
  ',"createdAt":',
  '},"seen":"',
  ',"provisional":true',
  ',"id":"',
  ',"linkRef":"',
  ',"version":',
  ',"statusRaw":"',
  ',"updatedAt":',
])

/**
 * Returns the text of `events.payment_json`: the payment after the event, without the fields that the event's own columns contain. If those
 * columns differ from the payment, the text contains all of it.
 */
export function encodeEventPayment(payment: Payment, columns: EventPaymentColumns): string {
  return isTold(payment, identityIn(columns)) ? compactText(payment) : packer.pack(JSON.stringify(payment))
}

/** Returns the payment that was passed to `encodeEventPayment`. */
export function decodeEventPayment(text: string, columns: EventPaymentColumns): Payment {
  const parsed = JSON.parse(packer.unpack(text)) as Payment | Compact
  return 'facts' in parsed ? toPayment(identityIn(columns), parsed) : parsed
}

/** Returns the text of `payments.state_json`: the whole payment. */
export function encodePayment(payment: Payment): string {
  const { id, streamId, linkRef, version, statusRaw, updatedAt } = payment
  const text = [
    // Without the closing brace: the other keys follow.
    compactText(payment).slice(0, -1),
    KEYS.id,
    rest(id),
    ...(streamId === streamIdOf(payment) ? [] : [`,"streamId":"`, rest(streamId)]),
    ...(linkRef === null ? [] : [KEYS.linkRef, rest(linkRef)]),
    KEYS.version,
    version,
    KEYS.statusRaw,
    rest(statusRaw),
    KEYS.updatedAt,
    JSON.stringify(shortInstant(updatedAt)),
    '}',
  ]
  return text.join('')
}

const KEYS = {
  id: packer.pack(',"id":"'),
  linkRef: packer.pack(',"linkRef":"'),
  version: packer.pack(',"version":'),
  statusRaw: packer.pack(',"statusRaw":"'),
  updatedAt: packer.pack(',"updatedAt":'),
}

/** Returns a text as JSON without the opening quotation mark, which is part of the key's phrase. */
function rest(text: string): string {
  return JSON.stringify(text).slice(1)
}

/** Returns the payment of `payments.state_json`. Also reads the JSON text of a whole payment. */
export function decodePayment(text: string): Payment {
  const parsed = JSON.parse(packer.unpack(text)) as Payment | (StoredIdentity & Compact)
  if (!('facts' in parsed)) return parsed
  const { id, linkRef = null, version, statusRaw, updatedAt } = parsed
  const streamId = parsed.streamId ?? streamIdOf({ id, linkRef })
  return toPayment({ id, streamId, linkRef, version, statusRaw, updatedAt: longInstant(updatedAt) }, parsed)
}

type StoredIdentity = Pick<Identity, 'id' | 'version' | 'statusRaw'> & {
  /** Present only if it is not the stream that follows from `linkRef` and `id`. */
  readonly streamId?: string
  readonly linkRef?: string
  readonly updatedAt: string | number
}

function streamIdOf({ id, linkRef }: Pick<Payment, 'id' | 'linkRef'>): string {
  return linkRef === null ? directPaymentStreamId(id) : linkStreamId(linkRef)
}

function identityIn(columns: EventPaymentColumns): Identity {
  return {
    id: decodePaymentId(columns.payment_id, columns.stream_id) ?? '',
    streamId: columns.stream_id,
    linkRef: columns.link_ref,
    version: columns.sequence,
    statusRaw: columns.to_status ?? '',
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
}

function isTold(payment: Payment, { id, streamId, linkRef, version, statusRaw, updatedAt }: Identity): boolean {
  return (
    payment.id === id &&
    payment.streamId === streamId &&
    payment.linkRef === linkRef &&
    payment.version === version &&
    payment.statusRaw === statusRaw &&
    payment.updatedAt === updatedAt
  )
}

/** Cache: each state of a payment is encoded twice, for its event and for its row. */
const texts = new WeakMap<Payment, string>()

function compactText(payment: Payment): string {
  const text = texts.get(payment) ?? packer.pack(JSON.stringify(toCompact(payment)))
  texts.set(payment, text)
  return text
}

function toCompact({ statusRaw, status, phase, rank, seen, provisional, details, refunds }: Payment): Compact {
  const known = status === null ? null : factsOf(status)
  const follows = status === recogniseStatus(statusRaw) && phase === known?.phase && rank === known.rank
  return {
    facts: shortDetails(details),
    ...(seen.length === 0 ? {} : { seen: lettersOf(seen) }),
    ...(provisional ? { provisional } : {}),
    ...(refunds === undefined ? {} : { refunds }),
    ...(follows ? {} : { status, phase, rank }),
  }
}

function toPayment(identity: Identity, compact: Compact): Payment {
  const status = compact.status === undefined ? recogniseStatus(identity.statusRaw) : compact.status
  const known = status === null ? null : factsOf(status)
  return {
    id: identity.id,
    streamId: identity.streamId,
    linkRef: identity.linkRef,
    version: identity.version,
    statusRaw: identity.statusRaw,
    status,
    phase: compact.phase ?? known?.phase ?? 'IN_PROGRESS',
    rank: compact.rank ?? known?.rank ?? 0,
    seen: Array.from(compact.seen ?? '', (letter) => STATUS_OF.get(letter) ?? []).flat(),
    provisional: compact.provisional ?? false,
    details: longDetails(compact.facts),
    ...(compact.refunds === undefined ? {} : { refunds: compact.refunds }),
    updatedAt: identity.updatedAt,
  }
}

/** Must never change, like the dictionary. */
const LETTERS: Readonly<Record<PaymentStatus, string>> = {
  pending: 'p',
  authorised: 'a',
  waiting: 'w',
  received: 'r',
  expired: 'x',
  return_pending: 'b',
  return_expired: 'e',
  partially_refunded: 'h',
  return_received: 'g',
  return_rejected: 'j',
  failed: 'f',
  in_dispute: 'd',
  dispute_lost: 'l',
}
const STATUS_OF = new Map(PAYMENT_STATUSES.map((status) => [LETTERS[status], status]))

function lettersOf(seen: readonly PaymentStatus[]): string {
  return seen.map((status) => LETTERS[status]).join('')
}

/** Known details. Instants are encoded by `shortInstant`. */
type Facts = Readonly<Record<string, unknown>>

const UNKNOWN: Readonly<Record<keyof PaymentDetails, null>> = {
  currency: null,
  amount: null,
  total: null,
  paid: null,
  refunded: null,
  refundable: null,
  reference: null,
  methodRaw: null,
  card: null,
  threeDsUrl: null,
  failureCode: null,
  failureMessage: null,
  instructions: null,
  expiresAt: null,
  createdAt: null,
}
const DETAILS = Object.keys(UNKNOWN) as (keyof PaymentDetails)[]
const INSTANTS: ReadonlySet<keyof PaymentDetails> = new Set(['expiresAt', 'createdAt'])

/** Returns the known details of a payment, in the order of the phrases in the dictionary of `payment-snapshot.ts`. */
function shortDetails(details: PaymentDetails): Facts {
  const facts: Record<string, unknown> = {}
  for (const key of DETAILS) {
    const value = details[key]
    if (value !== null) facts[key] = INSTANTS.has(key) && typeof value === 'string' ? shortInstant(value) : value
  }
  return facts
}

/** Returns the details that were passed to `shortDetails`, with null for unknown ones. */
function longDetails(facts: Facts): PaymentDetails {
  const details = { ...UNKNOWN, ...facts } as PaymentDetails & Record<'expiresAt' | 'createdAt', string | number | null>
  const { expiresAt, createdAt } = details
  return {
    ...details,
    expiresAt: expiresAt === null ? null : longInstant(expiresAt),
    createdAt: createdAt === null ? null : longInstant(createdAt),
  }
}

/** Texts that certainly survive the conversion to milliseconds and back: only days 1 to 28, which every month has. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Returns an instant in milliseconds since the epoch, or the text itself if it would not be restored exactly from them. */
function shortInstant(text: string): number | string {
  const at = Date.parse(text)
  if (PLAIN.test(text)) return at
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? text : at
}

/** Returns the text that was passed to `shortInstant`. */
function longInstant(stored: number | string): string {
  return typeof stored === 'number' ? new Date(stored).toISOString() : stored
}
