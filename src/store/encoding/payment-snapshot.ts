import { directPaymentStreamId, linkStreamId } from '../../domain/payments/payment-link.ts'
import { factsOf, PAYMENT_STATUSES, type PaymentStatus, recogniseStatus } from '../../domain/payments/payment-status.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { decodePaymentId } from './event-columns.ts'
import { createTextPacker } from './packed-text.ts'
import { longDetails, longInstant, shortDetails, shortInstant } from './payment-details.ts'

/** The columns of an event that repeat its payment. */
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

/** What a payment has beside its identity; what follows from the status, and what is not known, is left out. */
type Compact = {
  readonly facts: ReturnType<typeof shortDetails>
  /** A letter for each. */
  readonly seen?: string
  readonly provisional?: true
  /** Only where it is not the status that `statusRaw` stands for; phase and rank stand beside it. */
  readonly status?: PaymentStatus | null
  readonly phase?: Payment['phase']
  readonly rank?: number
}

/** Never to be changed: databases hold texts that were packed with it. New phrases go to the end. */
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

/** The text of `events.payment_json`: what the event's own columns do not tell of the payment as it was after the event. */
export function encodeEventPayment(payment: Payment, columns: EventPaymentColumns): string {
  return isTold(payment, identityIn(columns)) ? compactText(payment) : packer.pack(JSON.stringify(payment))
}

/** The payment as it was after an event. Also reads the JSON text of a whole payment, as earlier versions wrote it. */
export function decodeEventPayment(text: string, columns: EventPaymentColumns): Payment {
  const parsed = JSON.parse(packer.unpack(text)) as Payment | Compact
  return 'facts' in parsed ? toPayment(identityIn(columns), parsed) : parsed
}

/** The text of `payments.state_json`, which tells all of a payment. */
export function encodePayment(payment: Payment): string {
  const { id, streamId, linkRef, version, statusRaw, updatedAt } = payment
  const text = [
    // An object, which goes on with the rest.
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

/** A text in JSON, without the quotation mark that it begins with. */
function rest(text: string): string {
  return JSON.stringify(text).slice(1)
}

/** The payment in `payments.state_json`. Also reads the JSON text of a whole payment, as earlier versions wrote it. */
export function decodePayment(text: string): Payment {
  const parsed = JSON.parse(packer.unpack(text)) as Payment | (StoredIdentity & Compact)
  if (!('facts' in parsed)) return parsed
  const { id, linkRef = null, version, statusRaw, updatedAt } = parsed
  const streamId = parsed.streamId ?? streamIdOf({ id, linkRef })
  return toPayment({ id, streamId, linkRef, version, statusRaw, updatedAt: longInstant(updatedAt) }, parsed)
}

type StoredIdentity = Pick<Identity, 'id' | 'version' | 'statusRaw'> & {
  /** Only where it is not the stream of the link or the payment. */
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

/** A payment is written twice, in its event and as it is now. */
const texts = new WeakMap<Payment, string>()

function compactText(payment: Payment): string {
  const text = texts.get(payment) ?? packer.pack(JSON.stringify(toCompact(payment)))
  texts.set(payment, text)
  return text
}

function toCompact({ statusRaw, status, phase, rank, seen, provisional, details }: Payment): Compact {
  const known = status === null ? null : factsOf(status)
  const follows = status === recogniseStatus(statusRaw) && phase === known?.phase && rank === known.rank
  return {
    facts: shortDetails(details),
    ...(seen.length === 0 ? {} : { seen: lettersOf(seen) }),
    ...(provisional ? { provisional } : {}),
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
    updatedAt: identity.updatedAt,
  }
}

/** Never to be changed, as the packer. */
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
