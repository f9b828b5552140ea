import type { Command } from '../../domain/command.ts'
import { decideGatewayCallback } from '../../domain/gateway/gateway-decisions.ts'
import {
  evolveGatewayPayment,
  type GatewayPayment,
  type GatewayPaymentChange,
  type GatewayPaymentReport,
  gatewayStreamId,
  type NewGatewayPayment,
} from '../../domain/gateway/gateway-payment.ts'
import type { AttemptRow } from '../../store/rows/command-rows.ts'
import { type GatewayPaymentRow, NO_READ } from '../../store/rows/gateway-payment-rows.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { findAttempt, type Subject, type Target } from './subject.ts'

export type GatewayPaymentKind = {
  readonly State: GatewayPayment
  readonly Row: GatewayPaymentRow
  readonly Names: NewGatewayPayment
  readonly Report: GatewayPaymentReport
  readonly Change: GatewayPaymentChange
}

/** Gateway payments that were started here. The payments API has no endpoint that reads one, so no read is planned. */
export const GATEWAY_PAYMENT: Subject<GatewayPaymentKind> = {
  findTarget,
  idOf: ({ id }) => id,
  // The payments API reads none back.
  readAddressed: () => false,
  ownsStream: () => true,
  find: findGatewayPayment,
  put: (rows, row) => rows.gatewayPayments.put(row),
  decideWebhook: decideGatewayCallback,
  evolve: evolveGatewayPayment,
  eventOf: (gatewayPayment) => ({ linkRef: null, payment: null, agreement: null, payout: null, gatewayPayment }),
  rowOf: (_rows, state) => ({ state, deliveries: 0, plan: NO_READ }),
  nextPoll: () => null,
  // Neither a callback nor the response names the payer.
  savePayer() {},
  withKnownPayer: (_rows, report) => report,
  affect: (rows, state, { before }) => (before === null ? endCreation(rows, state) : undefined),
  follow: (_ledger, { row }) => row,
  countElsewhere() {},
}

function findGatewayPayment(rows: Rows, id: string): GatewayPaymentRow | null {
  return rows.gatewayPayments.first('id', id)
}

/**
 * Returns the gateway payment that a report under a correlation id is about, or what is known of a new one. Null if that payment was started
 * under another correlation id, or if the correlation id belongs to another payment. Each attempt of a command may have started one: another
 * attempt is made only after an operator has recorded that the earlier one was not carried out.
 */
export function findAddressedGatewayPayment(
  rows: Rows,
  report: GatewayPaymentReport,
  { ref, site, requested, commandId }: AttemptRow,
): Target<GatewayPaymentKind> | null {
  const known = findGatewayPayment(rows, report.id)
  if (known !== null)
    return known.state.ref === ref ? { row: known, state: known.state, names: known.state, report } : null
  if (rows.gatewayPayments.first('ref', ref) !== null || requested === null) return null
  const command = rows.commands.first('id', commandId)
  // Any other outcome of a payment that was not known is an operator's, and so is a later attempt.
  const overrulesOperator = command !== null && (command.ref !== ref || isOther(recordedOutcome(command), report.id))
  const names = { ...requested, id: report.id, ref, streamId: gatewayStreamId(report.id), site, overrulesOperator }
  return { row: null, state: null, names, report }
}

function isOther(outcome: string | null | undefined, paymentId: string): boolean {
  return outcome !== undefined && outcome !== paymentId
}

/** Returns the id of the payment that a creation is known to have made, null if an operator has found none, undefined while that is not known. */
export function recordedOutcome({ state, result }: Command): string | null | undefined {
  if (state === 'ABANDONED') return null
  return state === 'SETTLED' ? (result as { readonly paymentId: string }).paymentId : undefined
}

function findTarget(rows: Rows, report: GatewayPaymentReport, ref: string | null): Target<GatewayPaymentKind> | null {
  // Gateway payments have no default URL.
  if (ref === null) return null
  rows.gatewayPayments.want('id', report.id)
  rows.gatewayPayments.want('ref', ref)
  const attempt = findAttempt(rows, ref)
  const isAddressed = attempt?.kind === 'gateway-payment' && isOfOrder(report, attempt)
  return isAddressed ? findAddressedGatewayPayment(rows, report, attempt) : null
}

function isOfOrder({ reference }: GatewayPaymentReport, { requested }: AttemptRow): boolean {
  return reference === null || reference === requested?.reference
}

/** A creation whose answer was lost is ended by the callback that shows its payment, also where an operator has found none: its key sends nothing again. */
function endCreation(rows: Rows, { id: paymentId, ref }: GatewayPayment): void {
  const attempt = findAttempt(rows, ref)
  const command = attempt === null ? null : rows.commands.first('id', attempt.commandId)
  if (command?.ref === ref && (command.state === 'UNKNOWN' || command.state === 'ABANDONED'))
    rows.commands.put({ ...command, state: 'SETTLED', result: { paymentId } })
}
