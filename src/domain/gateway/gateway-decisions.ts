import { factsOf, FINAL_RANK, PAID_RANK } from '../payments/payment-report.ts'
import {
  filledIn,
  type GatewayPayment,
  type GatewayPaymentChange,
  type GatewayPaymentDecision,
  type GatewayPaymentFacts,
  type GatewayPaymentReport,
  type GatewayPaymentStatus,
  type GatewaySettlement,
} from './gateway-payment.ts'

/**
 * Decides what a callback means. A callback contains no time of sending, and nothing can be read that would confirm it. So a status that
 * leads forward is applied, one that leads back to an earlier step is late, and where the order is open the status stays and is contradicted. A
 * paid payment never becomes unpaid, and a status that is not recognised replaces only one of an unpaid payment. A payment that a callback
 * shows first is unanswered until the response to its creation is recorded.
 *
 * `repeat` means that the same bytes were received before.
 */
export function decideGatewayCallback(
  state: GatewayPayment | null,
  report: GatewayPaymentReport,
  repeat: boolean,
): GatewayPaymentDecision {
  if (state === null) return create(report, true)
  if (repeat) return NOTHING_NEW
  if (contradicts(state, report)) return doubt(state, report)
  const facts = filledIn(state, report)
  if (hasStatus(state, report)) return fillIn(state, facts)
  const [known, told] = [rankOf(state.status), rankOf(report.status)]
  if (told > known) return changeStatus(state, report, facts)
  return isLate(state.status, report.status) ? STALE : doubt(state, report)
}

/** Decides what the response to the creation means: it shows the first state, so of a payment that is known only missing facts are taken. */
export function decideGatewayCreation(
  state: GatewayPayment | null,
  report: GatewayPaymentReport,
): GatewayPaymentDecision {
  return state === null
    ? create(report, false)
    : fillIn({ ...state, unanswered: false }, filledIn(state, report), state)
}

/**
 * Decides what an operator's word means, who has compared a provisional payment with the payments API's own pages. Null if it must not be
 * recorded: the payment is not provisional, has changed since the operator looked, or was paid and would become unpaid. Without a change if the
 * same was recorded before.
 */
export function decideGatewaySettlement(
  state: GatewayPayment,
  settlement: GatewaySettlement,
): GatewayPaymentDecision | null {
  const { version, status, settledBy } = settlement
  if (isSettled(state, settlement)) return NOTHING_NEW
  if (!state.provisional || state.version !== version) return null
  if (rankOf(state.status) >= PAID_RANK && rankOf(status) < PAID_RANK) return null
  return applied('GATEWAY_PAYMENT_SETTLED', {
    statusRaw: status === state.status ? state.statusRaw : status,
    status,
    facts: factsIn(state),
    unanswered: false,
    contradictedBy: null,
    settledBy,
  })
}

/** Decides what it means that an operator has found a payment of which only callbacks were known: its creation is confirmed. */
export function decideGatewayConfirmation(state: GatewayPayment, settledBy: string | null): GatewayPaymentDecision {
  const facts = factsIn(state)
  return state.unanswered
    ? applied('GATEWAY_PAYMENT_SETTLED', { ...state, facts, unanswered: false, settledBy })
    : NOTHING_NEW
}

/** Decides what it means that an operator has found a payment of which nothing was reported. */
export function decideGatewayDiscovery(report: GatewayPaymentReport, settledBy: string | null): GatewayPaymentDecision {
  const { statusRaw, status } = report
  const known = { statusRaw, status, facts: factsIn(report), unanswered: false, contradictedBy: null, settledBy }
  return applied('GATEWAY_PAYMENT_CREATED', known)
}

/** Also if another operator, or a callback, has said the same. */
function isSettled(state: GatewayPayment, { version, status }: GatewaySettlement): boolean {
  return !state.provisional && state.status === status && state.version === version + 1
}

const NOTHING_NEW: GatewayPaymentDecision = {
  disposition: 'NO_CHANGE',
  change: null,
  provisional: null,
  confirm: false,
}
const STALE: GatewayPaymentDecision = { ...NOTHING_NEW, disposition: 'STALE' }

function applied(
  kind: GatewayPaymentChange['kind'],
  change: Omit<GatewayPaymentChange, 'kind'>,
): GatewayPaymentDecision {
  const { statusRaw, status, facts, unanswered, contradictedBy, settledBy } = change
  const provisional = unanswered || contradictedBy !== null || status === null
  const made = { kind, statusRaw, status, facts, unanswered, contradictedBy, settledBy }
  return { disposition: 'APPLIED', change: made, provisional, confirm: false }
}

function create({ statusRaw, status, ...report }: GatewayPaymentReport, unanswered: boolean): GatewayPaymentDecision {
  const facts = factsIn(report)
  return applied('GATEWAY_PAYMENT_CREATED', {
    statusRaw,
    status,
    facts,
    unanswered,
    contradictedBy: null,
    settledBy: null,
  })
}

/** A status that is further than all before it ends a doubt, except one about a status that is not recognised; only an end ends that. */
function changeStatus(
  state: GatewayPayment,
  { statusRaw, status }: GatewayPaymentReport,
  facts: GatewayPaymentFacts,
): GatewayPaymentDecision {
  const isCertain = state.status !== null || rankOf(status) === FINAL_RANK
  const contradictedBy = isCertain ? null : state.statusRaw
  return applied('GATEWAY_PAYMENT_STATUS_CHANGED', { ...state, statusRaw, status, facts, contradictedBy })
}

/** The status stays. That it is contradicted is an event, so that followers learn of it, and so that an operator decides on all of it. */
function doubt(state: GatewayPayment, { statusRaw: contradictedBy }: GatewayPaymentReport): GatewayPaymentDecision {
  return { ...fillIn({ ...state, contradictedBy }, factsIn(state), state), disposition: 'DOUBTFUL' }
}

/** Returns the change to facts and doubts in the same status; none if they are those of `before`. */
function fillIn(
  state: GatewayPayment,
  facts: GatewayPaymentFacts,
  before: GatewayPayment = state,
): GatewayPaymentDecision {
  const isSame = state.unanswered === before.unanswered && state.contradictedBy === before.contradictedBy
  if (isSame && FACTS.every((key) => before[key] === facts[key])) return NOTHING_NEW
  return applied('GATEWAY_PAYMENT_DETAILS_CHANGED', { ...state, facts })
}

function factsIn({ orderId, amount, currency, description }: GatewayPaymentFacts): GatewayPaymentFacts {
  return { orderId, amount, currency, description }
}

const FACTS = ['orderId', 'amount', 'currency', 'description'] as const satisfies readonly (keyof GatewayPaymentFacts)[]

/** How far a payment with this status has come. One that is not recognised may be anything between the attempts and the payment. */
function rankOf(status: GatewayPaymentStatus | null): number {
  if (status === null) return PAID_RANK - 0.5
  return status === 'created' ? -1 : factsOf(status).rank
}

/** The statuses that every payment passes in this order before its attempt ends. */
const STEPS: ReadonlySet<GatewayPaymentStatus | null> = new Set(['created', 'pending', 'authorised', 'waiting'])

/** A refund was not carried out: also one that was reported as paid out. */
const CAME_TO_NOTHING: ReadonlySet<GatewayPaymentStatus> = new Set(['return_rejected', 'return_expired'])

/**
 * Returns whether a status of no higher rank is certainly an earlier one: none follows an end, except that a refund comes back; an unpaid one
 * never follows a paid one, and `received` follows a later one only after a dispute.
 */
function isLate(known: GatewayPaymentStatus | null, told: GatewayPaymentStatus | null): boolean {
  if (told === null) return false
  if (told === 'created') return true
  if (rankOf(known) === FINAL_RANK && rankOf(told) < FINAL_RANK)
    return known !== 'return_received' || !CAME_TO_NOTHING.has(told)
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

/** An operator has found that a creation without an answer was not carried out. */
export type GatewayCreationKind = 'GATEWAY_PAYMENT_NOT_CREATED'

/** Name of the mutation that starts gateway payments, in the records of its commands. */
export const CREATE_GATEWAY_PAYMENT = 'createGatewayPayment'

/** The request of a gateway payment of which no payment is known. */
type GatewayCreation = GatewayPaymentFacts & {
  /** Id of the command. */
  readonly operationId: string
  readonly site: string
}

/** A creation that an operator has settled as not carried out. */
export type SettledGatewayCreation = GatewayCreation & {
  /** Identity of the operator; null if the token named nobody. */
  readonly settledBy: string | null
}

/** A creation whose outcome is unknown. */
export type UnansweredGatewayCreation = GatewayCreation & {
  /** The payment that callbacks have reported under its correlation id; null if there is none. */
  readonly paymentId: string | null
  /** Instant of the attempt, ISO 8601 in UTC. */
  readonly requestedAt: string
}

/** What an operator says about a creation: the id of the payment that it made, or null if it made none. */
export type CreationSettlement = { readonly paymentId: string | null; readonly settledBy: string | null }

/** Returns the id of the stream that contains the operators' decisions about a creation. Ids of payments have no such prefix. */
export function creationStreamId(operationId: string): string {
  return `gateway:operation-${operationId}`
}
