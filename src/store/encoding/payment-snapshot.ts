import { directPaymentStreamId, linkStreamId } from '../../domain/payment-link.ts'
import type { PaymentDetails } from '../../domain/payment-report.ts'
import { factsOf, PAYMENT_STATUSES, type PaymentStatus, recogniseStatus } from '../../domain/payment-status.ts'
import type { Payment } from '../../domain/payment.ts'
import { createTextPacker } from './packed-text.ts'

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
  readonly facts: Readonly<Record<string, unknown>>
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
  const identity = identityIn(columns)
  const repeats = (Object.keys(identity) as (keyof Identity)[]).every((key) => identity[key] === payment[key])
  return packer.pack(JSON.stringify(repeats ? toCompact(payment) : payment))
}

/** The payment as it was after an event. Also reads the JSON text of a whole payment, as earlier versions wrote it. */
export function decodeEventPayment(text: string, columns: EventPaymentColumns): Payment {
  const parsed = JSON.parse(packer.unpack(text)) as Payment | Compact
  return 'facts' in parsed ? toPayment(identityIn(columns), parsed) : parsed
}

/** The text of `payments.state_json`, which tells all of a payment. */
export function encodePayment(payment: Payment): string {
  const { id, streamId, linkRef, version, statusRaw, updatedAt } = payment
  const identity: StoredIdentity = {
    id,
    ...(streamId === streamIdOf(payment) ? {} : { streamId }),
    ...(linkRef === null ? {} : { linkRef }),
    version,
    statusRaw,
    updatedAt: shortInstant(updatedAt),
  }
  return packer.pack(JSON.stringify({ ...toCompact(payment), ...identity }))
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
    id: columns.payment_id ?? '',
    streamId: columns.stream_id,
    linkRef: columns.link_ref,
    version: columns.sequence,
    statusRaw: columns.to_status ?? '',
    updatedAt: new Date(columns.recorded_at).toISOString(),
  }
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

/** In the order of the packer's phrases. */
function shortDetails(details: PaymentDetails): Compact['facts'] {
  const { expiresAt, createdAt } = details
  const short = {
    ...details,
    expiresAt: expiresAt === null ? null : shortInstant(expiresAt),
    createdAt: createdAt === null ? null : shortInstant(createdAt),
  }
  return Object.fromEntries(DETAILS.flatMap((key) => (short[key] === null ? [] : [[key, short[key]]])))
}

function longDetails(facts: Compact['facts']): PaymentDetails {
  const details = { ...UNKNOWN, ...facts } as PaymentDetails & Record<'expiresAt' | 'createdAt', string | number | null>
  const { expiresAt, createdAt } = details
  return {
    ...details,
    expiresAt: expiresAt === null ? null : longInstant(expiresAt),
    createdAt: createdAt === null ? null : longInstant(createdAt),
  }
}

/** An instant in milliseconds since the epoch; the text itself where it is written in any other way. */
function shortInstant(text: string): number | string {
  const at = Date.parse(text)
  return Number.isNaN(at) || new Date(at).toISOString() !== text ? text : at
}

function longInstant(stored: number | string): string {
  return typeof stored === 'number' ? new Date(stored).toISOString() : stored
}
