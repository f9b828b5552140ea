import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import { decidePayoutCreation, type Payout } from '../domain/payouts/payout.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { findUnsettled, markSettled } from './command-records.ts'
import { answeredPayout, findAddressedPayout, findPayout, PAYOUT, wantPayout } from './payout-subject.ts'
import { applyAnswer } from './record-answer.ts'
import { recordCreation } from './settle.ts'
import { confirmBy, type Ledger } from './subject.ts'

/**
 * Completes a command with the payout it created. Facts from earlier callbacks are kept. Idempotent for the same payout. Throws
 * `StoreConflictError` if the command has another outcome, or if the payout or its correlation id belongs to another object.
 */
export function settleWithPayout(
  ledger: Ledger,
  commandId: string,
  made: { readonly ref: string; readonly site: string; readonly report: PayoutReport; readonly at: Date },
): Payout {
  const { rows } = ledger
  const { report, at } = made
  rows.commands.want('id', commandId)
  const target = findAddressedPayout(rows, report, made)
  const result = { payoutId: report.id }
  const unsettled = findUnsettled(rows, commandId, result)
  if (target === null) throw new StoreConflictError(`The payout ${report.id} belongs to another command.`)
  if (unsettled === null && target.state !== null) return target.state
  const { row, confirm } = recordCreation(PAYOUT, ledger, target, { decide: decidePayoutCreation, at })
  rows.payouts.put(confirm ? confirmBy(row, at) : row)
  markSettled(rows, commandId, result)
  return row.state
}

/**
 * Completes a command whose cancellation of a payout was accepted, and records that and the state that was read after it as an event. If
 * that state is unusable, or a callback was recorded since the command was sent, a read of the payout is due now. Idempotent for the same payout.
 * Returns null if the payout has no record. Throws `StoreConflictError` if the command has another outcome.
 */
export function settleWithPayoutCancellation(
  ledger: Ledger,
  commandId: string,
  { payoutId, report, at }: { readonly payoutId: string; readonly report: PayoutReport; readonly at: Date },
): Payout | null {
  const { rows } = ledger
  wantPayout(rows, payoutId)
  const command = findUnsettled(rows, commandId, { payoutId })
  const row = findPayout(rows, payoutId)
  if (command === null) return row?.state ?? null
  markSettled(rows, commandId, { payoutId })
  if (row === null) return null
  // Detected by counts, not by instants: clocks of nodes differ.
  const overtaken = row.deliveries !== command.subjectDeliveries
  const target = answeredPayout(row, { ...report, cancelledAt: at.toISOString() })
  const applied = applyAnswer(PAYOUT, ledger, target, { source: 'COMMAND', at, overtaken })
  const after = applied?.row ?? row
  if (applied === null || overtaken) rows.payouts.put(confirmBy(after, at))
  return after.state
}
