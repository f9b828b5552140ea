import { decideGatewayCallback } from '../../domain/gateway/gateway-decisions.ts'
import {
  evolveGatewayPayment,
  filledIn,
  type GatewayPayment,
  type GatewayPaymentChange,
  type GatewayPaymentReport,
  gatewayStreamId,
  type NewGatewayPayment,
} from '../../domain/gateway/gateway-payment.ts'
import type { AttemptRow } from '../../store/rows/command-rows.ts'
import { type GatewayPaymentRow, NO_READ } from '../../store/rows/gateway-payment-rows.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { dropRequested, findAttempt, type Subject, type Target } from './subject.ts'

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
  rowOf: (_rows, state, before) => ({ state, deliveries: before?.deliveries ?? 0, plan: NO_READ }),
  nextPoll: () => null,
  // Neither a callback nor the response names the payer.
  savePayer() {},
  withKnownPayer: (_rows, report) => report,
  affect: (rows, state, { before }) => (before === null ? reopenCreation(rows, state.ref) : undefined),
  follow: (_ledger, { row }) => row,
  countElsewhere() {},
}

function findGatewayPayment(rows: Rows, id: string): GatewayPaymentRow | null {
  return rows.gatewayPayments.first('id', id)
}

/**
 * Returns the gateway payment that a report under a correlation id is about, or the ids of a new one. Null if that payment was started under
 * another correlation id, or if the correlation id belongs to another payment. Each attempt of a command may have started one: another attempt is
 * made only after an operator has said that the earlier one was not carried out.
 */
export function findAddressedGatewayPayment(
  rows: Rows,
  report: GatewayPaymentReport,
  { ref, site }: { readonly ref: string; readonly site: string },
): Target<GatewayPaymentKind> | null {
  rows.gatewayPayments.want('id', report.id)
  rows.gatewayPayments.want('ref', ref)
  const known = findGatewayPayment(rows, report.id)
  if (known !== null)
    return known.state.ref === ref ? { row: known, state: known.state, names: known.state, report } : null
  if (rows.gatewayPayments.first('ref', ref) !== null) return null
  const names = { id: report.id, ref, streamId: gatewayStreamId(report.id), site }
  return { row: null, state: null, names, report }
}

/** The first callback shows the payment with what was requested, because none of them names an amount. */
function findTarget(rows: Rows, report: GatewayPaymentReport, ref: string | null): Target<GatewayPaymentKind> | null {
  // Gateway payments have no default URL.
  if (ref === null) return null
  rows.gatewayPayments.want('id', report.id)
  const attempt = findAttempt(rows, ref)
  if (attempt?.kind !== 'gateway-payment' || attempt.site === null) return null
  const target = findAddressedGatewayPayment(rows, report, { ref, site: attempt.site })
  if (target === null) return findNamedByOperator(rows, report, attempt)
  if (target.state !== null || attempt.requested === null) return target
  return { ...target, report: { ...report, ...filledIn(report, attempt.requested) } }
}

/**
 * Returns the payment of an attempt without a response, to which only an operator or another callback has given an id: the callback shows that the id
 * is a mistake.
 */
function findNamedByOperator(
  rows: Rows,
  report: GatewayPaymentReport,
  { ref, commandId }: AttemptRow,
): Target<GatewayPaymentKind> | null {
  const known = rows.gatewayPayments.first('ref', ref)
  const command = rows.commands.first('id', commandId)
  if (known === null || command?.ref !== ref || command.state !== 'SETTLED' || isResponse(command.result)) return null
  return { row: known, state: known.state, names: known.state, report }
}

/** Returns whether the result of a creation is its response: only that contains the page for the payer. */
function isResponse(result: unknown): boolean {
  return 'redirectUrl' in (result as object)
}

/**
 * A callback about a creation that an operator has settled as not carried out: unless it was repeated since, its outcome is open again. What an
 * earlier attempt was requested with is a part of its payment now.
 */
function reopenCreation(rows: Rows, ref: string): void {
  const attempt = findAttempt(rows, ref)
  const command = attempt === null ? null : rows.commands.first('id', attempt.commandId)
  if (command?.ref !== ref) dropRequested(rows, ref)
  if (command?.state === 'ABANDONED' && command.ref === ref) rows.commands.put({ ...command, state: 'UNKNOWN' })
}
