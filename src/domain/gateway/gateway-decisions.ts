import { factsOf, FINAL_RANK, PAID_RANK } from '../payments/payment-report.ts'
import type {
  GatewayPayment,
  GatewayPaymentChange,
  GatewayPaymentDecision,
  GatewayPaymentReport,
  GatewayPaymentStatus,
} from './gateway-payment.ts'

/**
 * Decides what a callback means. A callback contains no time of sending, and nothing can be read that would confirm it. So a status that
 * leads forward is applied, one that leads back to an earlier step is late, and where the order is open the status stays and is contradicted. A
 * paid payment never becomes unpaid, and a status that is not recognised replaces only one of an unpaid payment.
 *
 * `repeat` means that the same bytes were received before.
 */
export function decideGatewayCallback(
  state: GatewayPayment | null,
  report: GatewayPaymentReport,
  repeat: boolean,
): GatewayPaymentDecision {
  if (state === null) return applied('GATEWAY_PAYMENT_CREATED', report, null)
  if (repeat || hasStatus(state, report)) return NOTHING_NEW
  const [known, told] = [rankOf(state.status), rankOf(report.status)]
  if (told > known) {
    // A status that is further than all before ends a doubt, except one about a status that is not recognised; only an end ends that.
    const isCertain = state.status !== null || told === FINAL_RANK
    return applied('GATEWAY_PAYMENT_STATUS_CHANGED', report, isCertain ? null : state.statusRaw)
  }
  return isLate(state.status, report.status) ? STALE : doubt(state, report)
}

/** Decides what the response to the creation means: it shows the first state, so of a payment that is known it changes nothing. */
export function decideGatewayCreation(
  state: GatewayPayment | null,
  report: GatewayPaymentReport,
): GatewayPaymentDecision {
  return state === null ? applied('GATEWAY_PAYMENT_CREATED', report, null) : NOTHING_NEW
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
  { statusRaw, status }: Pick<GatewayPaymentReport, 'statusRaw' | 'status'>,
  contradictedBy: string | null,
): GatewayPaymentDecision {
  const change = { kind, statusRaw, status, contradictedBy }
  return { disposition: 'APPLIED', change, provisional: contradictedBy !== null || status === null, confirm: false }
}

/** The status stays. That it is contradicted is an event, so that followers learn of it. */
function doubt(state: GatewayPayment, { statusRaw: contradictedBy }: GatewayPaymentReport): GatewayPaymentDecision {
  const decision =
    contradictedBy === state.contradictedBy
      ? NOTHING_NEW
      : applied('GATEWAY_PAYMENT_DETAILS_CHANGED', state, contradictedBy)
  return { ...decision, disposition: 'DOUBTFUL' }
}

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
