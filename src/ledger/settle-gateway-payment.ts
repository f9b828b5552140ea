import { decideGatewayCreation } from '../domain/gateway/gateway-decisions.ts'
import type { GatewayPaymentReport } from '../domain/gateway/gateway-payment.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { dropRequested } from './attempts.ts'
import { findUnsettledAttempt, markSettled } from './command-records.ts'
import { findAddressedGatewayPayment, GATEWAY_PAYMENT } from './gateway-payment-subject.ts'
import { recordCreation } from './settle.ts'
import type { Ledger } from './subject.ts'

/**
 * Completes a command with the gateway payment that it started, and records the payment. The result of the command is that of the call, because
 * the page for the payer is no part of the record. Facts from earlier callbacks are kept. Idempotent for the same result. Throws
 * `StoreConflictError` if the command has another outcome or a later attempt, or if the payment or its correlation id belongs to another object.
 */
export function settleWithGatewayPayment(
  ledger: Ledger,
  commandId: string,
  made: {
    readonly ref: string
    readonly site: string
    readonly report: GatewayPaymentReport
    readonly result: unknown
    readonly at: Date
  },
): void {
  const { rows } = ledger
  rows.commands.want('id', commandId)
  const target = findAddressedGatewayPayment(rows, made.report, made)
  if (findUnsettledAttempt(rows, commandId, made) === null) return
  if (target === null) throw new StoreConflictError(`The gateway payment ${made.report.id} belongs to another command.`)
  const { row } = recordCreation(GATEWAY_PAYMENT, ledger, target, { decide: decideGatewayCreation, at: made.at })
  rows.gatewayPayments.put(row)
  markSettled(rows, commandId, made.result)
  dropRequested(rows, made.ref)
}
