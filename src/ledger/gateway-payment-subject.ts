import {
  decideGatewayCallback,
  evolveGatewayPayment,
  type GatewayPayment,
  type GatewayPaymentChange,
  type GatewayPaymentReport,
  gatewayStreamId,
  type NewGatewayPayment,
} from '../domain/gateway/gateway-payment.ts'
import { type GatewayPaymentRow, NO_READ } from '../store/rows/gateway-payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { findAttempt, refsOfSameCommand } from './attempts.ts'
import type { Subject, Target } from './subject.ts'

type GatewayPaymentKind = {
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
  affect() {},
  follow: (_ledger, { row }) => row,
  countElsewhere() {},
}

function findGatewayPayment(rows: Rows, id: string): GatewayPaymentRow | null {
  return rows.gatewayPayments.first('id', id)
}

/**
 * Returns the gateway payment that a report under a correlation id is about, or the ids of a new one. Null if that payment was started under
 * another command's correlation id, or if the correlation id belongs to another payment.
 */
export function findAddressedGatewayPayment(
  rows: Rows,
  report: GatewayPaymentReport,
  { ref, site }: { readonly ref: string; readonly site: string },
): Target<GatewayPaymentKind> | null {
  rows.attempts.want('ref', ref)
  rows.gatewayPayments.want('id', report.id)
  const refs = refsOfSameCommand(rows, ref)
  for (const other of refs) rows.gatewayPayments.want('ref', other)
  const known = findGatewayPayment(rows, report.id)
  if (known !== null)
    return refs.includes(known.state.ref) ? { row: known, state: known.state, names: known.state, report } : null
  if (refs.some((other) => rows.gatewayPayments.first('ref', other) !== null)) return null
  const names = { id: report.id, ref, streamId: gatewayStreamId(report.id), site }
  return { row: null, state: null, names, report }
}

function findTarget(rows: Rows, report: GatewayPaymentReport, ref: string | null): Target<GatewayPaymentKind> | null {
  // Gateway payments have no default URL.
  if (ref === null) return null
  rows.gatewayPayments.want('id', report.id)
  const attempt = findAttempt(rows, ref)
  if (attempt?.kind !== 'gateway-payment' || attempt.site === null) return null
  return findAddressedGatewayPayment(rows, report, { ref, site: attempt.site })
}
