import { factsOf, PAID_RANK, type PaymentStatus, recogniseStatus } from '../payments/payment-status.ts'
import type { Disposition } from '../payments/payment.ts'

/** `created`: started, and no callback has reported anything yet. */
export type GatewayPaymentStatus = 'created' | PaymentStatus

/**
 * What is known of a gateway payment. The payments API has no endpoint that reads one, so a value is null until the response to the creation
 * is recorded. The page for the payer is not part of it: its URL contains the order.
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
    /** Callbacks contradict each other, or reported a status that is not recognised. Nothing can be read that would decide. */
    readonly provisional: boolean
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

export type GatewayPaymentChange = {
  readonly kind: 'GATEWAY_PAYMENT_CREATED' | 'GATEWAY_PAYMENT_STATUS_CHANGED' | 'GATEWAY_PAYMENT_DETAILS_CHANGED'
  readonly statusRaw: string
  readonly status: GatewayPaymentStatus | null
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
export function isGatewayKind(kind: string): kind is GatewayPaymentChange['kind'] {
  return kind in KINDS
}

const STREAM = 'gateway:'
const KINDS: Readonly<Record<GatewayPaymentChange['kind'], true>> = {
  GATEWAY_PAYMENT_CREATED: true,
  GATEWAY_PAYMENT_STATUS_CHANGED: true,
  GATEWAY_PAYMENT_DETAILS_CHANGED: true,
}

/**
 * Returns the status of a callback; null if it is not recognised. Its values are not documented: those of payments are taken as an open set
 * (gap sheet, section 4).
 */
export function gatewayStatus(raw: string): GatewayPaymentStatus | null {
  return raw === 'created' ? 'created' : recogniseStatus(raw)
}

/**
 * Decides what a callback means. A callback contains no time of sending, and nothing can be read that would confirm it. So a status that
 * leads forward is applied, one that leads back to an earlier step is late, and where the order is open the state stays and is provisional. A paid
 * payment never becomes unpaid, and a status that is not recognised replaces only one of an unpaid payment.
 *
 * `repeat` means that the same bytes were received before.
 */
export function decideGatewayCallback(
  state: GatewayPayment | null,
  report: GatewayPaymentReport,
  repeat: boolean,
): GatewayPaymentDecision {
  if (state === null) return create(report)
  if (contradicts(state, report)) return DOUBTFUL
  if (repeat) return NOTHING_NEW
  const facts = filledIn(state, report)
  if (hasStatus(state, report)) return fillIn(state, facts)
  const [known, told] = [rankOf(state.status), rankOf(report.status)]
  if (told > known) return changeStatus(state, report, facts)
  return isLate(state.status, report.status) ? STALE : DOUBTFUL
}

/** Decides what the response to the creation means: it shows the first state, so of a payment that is known only missing facts are taken. */
export function decideGatewayCreation(
  state: GatewayPayment | null,
  report: GatewayPaymentReport,
): GatewayPaymentDecision {
  return state === null ? create(report) : fillIn(state, filledIn(state, report))
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
    createdAt: 'version' in state ? state.createdAt : recorded.at,
    updatedAt: recorded.at,
  }
}

const NOTHING_NEW: GatewayPaymentDecision = {
  disposition: 'NO_CHANGE',
  change: null,
  provisional: null,
  confirm: false,
}
const STALE: GatewayPaymentDecision = { ...NOTHING_NEW, disposition: 'STALE' }
const DOUBTFUL: GatewayPaymentDecision = { ...NOTHING_NEW, disposition: 'DOUBTFUL', provisional: true }

function create({ statusRaw, status, ...report }: GatewayPaymentReport): GatewayPaymentDecision {
  const { orderId, amount, currency, description } = report
  const facts = { orderId, amount, currency, description }
  const change = { kind: 'GATEWAY_PAYMENT_CREATED', statusRaw, status, facts } as const
  return { disposition: 'APPLIED', change, provisional: status === null, confirm: false }
}

/** A status that is further than all before it ends a doubt, except one about a status that is not recognised; only an end ends that. */
function changeStatus(
  state: GatewayPayment,
  { statusRaw, status }: GatewayPaymentReport,
  facts: GatewayPaymentFacts,
): GatewayPaymentDecision {
  const change = { kind: 'GATEWAY_PAYMENT_STATUS_CHANGED', statusRaw, status, facts } as const
  const isCertain = status !== null && (state.status !== null || rankOf(status) === FINAL_RANK)
  return { disposition: 'APPLIED', change, provisional: !isCertain, confirm: false }
}

function fillIn(state: GatewayPayment, facts: GatewayPaymentFacts): GatewayPaymentDecision {
  if (FACTS.every((key) => state[key] === facts[key])) return NOTHING_NEW
  const { statusRaw, status } = state
  const change = { kind: 'GATEWAY_PAYMENT_DETAILS_CHANGED', statusRaw, status, facts } as const
  return { disposition: 'APPLIED', change, provisional: null, confirm: false }
}

const FACTS = ['orderId', 'amount', 'currency', 'description'] as const satisfies readonly (keyof GatewayPaymentFacts)[]

function filledIn(known: GatewayPaymentFacts, told: GatewayPaymentFacts): GatewayPaymentFacts {
  return {
    orderId: known.orderId ?? told.orderId,
    amount: known.amount ?? told.amount,
    currency: known.currency ?? told.currency,
    description: known.description ?? told.description,
  }
}

const FINAL_RANK = 6

/** How far a payment with this status has come. One that is not recognised may be anything between the attempts and the payment. */
function rankOf(status: GatewayPaymentStatus | null): number {
  if (status === null) return PAID_RANK - 0.5
  return status === 'created' ? -1 : factsOf(status).rank
}

/** The statuses that every payment passes in this order before its attempt ends. */
const STEPS: ReadonlySet<GatewayPaymentStatus | null> = new Set(['created', 'pending', 'authorised', 'waiting'])

/**
 * Returns whether a status of no higher rank is certainly an earlier one: none follows an end, an unpaid one never follows a paid one, and
 * `received` follows a later one only after a dispute.
 */
function isLate(known: GatewayPaymentStatus | null, told: GatewayPaymentStatus | null): boolean {
  if (told === null) return false
  if (told === 'created' || (rankOf(known) === FINAL_RANK && rankOf(told) < FINAL_RANK)) return true
  if (rankOf(known) >= PAID_RANK && rankOf(told) <= PAID_RANK) return told !== 'received' || known !== 'in_dispute'
  return STEPS.has(known) && STEPS.has(told)
}

function hasStatus(state: GatewayPayment, { status, statusRaw }: GatewayPaymentReport): boolean {
  return status === null ? statusRaw === state.statusRaw : status === state.status
}

/** Returns whether a report is about another order. */
function contradicts(state: GatewayPayment, { id, orderId }: GatewayPaymentReport): boolean {
  return state.id !== id || (state.orderId !== null && orderId !== null && state.orderId !== orderId)
}
