import { attributeRead } from '../../domain/attribution.ts'
import type { Command } from '../../domain/command.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import type { Payment } from '../../domain/payment.ts'
import type { WriteUnit } from '../unit.ts'
import { applyAnswer } from './apply-answer.ts'
import { findPayment } from './payment-records.ts'
import { planReadBy } from './plan-read.ts'
import { findPaymentSubject, type Subject } from './read-subjects.ts'
import { findUnsettled, markSettled } from './settle-command.ts'

type Told = { readonly paymentId: string; readonly report: PaymentReport | null; readonly at: Date }

/**
 * Ends a command about a payment, with what its answer shows as an event of our own; where it shows nothing that can be
 * relied on, the payment is read now. A second time for the same payment changes nothing. Throws `StoreConflictError` for
 * a command that ended otherwise.
 */
export async function settleWithPayment(unit: WriteUnit, commandId: string, told: Told): Promise<Payment | null> {
  const { db } = unit
  const { paymentId, at } = told
  const command = await findUnsettled(db, commandId, { paymentId })
  if (command === null) return findPayment(db, paymentId)
  await markSettled(db, commandId, { paymentId })
  const subject = await findPaymentSubject(db, paymentId)
  const applied = await applyTold(unit, { command, subject, told })
  if (applied !== null) return applied
  if (subject !== null) await planReadBy(db, subject, { at: at.getTime(), readClass: 'doubt' })
  return subject?.payment ?? null
}

/**
 * Null when the answer shows nothing that can be relied on. It tells the truth of a moment after its command was sent: when a
 * delivery or another answer was recorded since, that may be newer, or older. Both are counted: clocks of nodes differ.
 */
async function applyTold(
  unit: WriteUnit,
  { command, subject, told }: { command: Command; subject: Subject | null; told: Told },
): Promise<Payment | null> {
  const { paymentId, at } = told
  const link = subject?.link ?? null
  const report = told.report === null ? null : attributeRead({ paymentId, link }, told.report)
  if (report === null || report.paymentId !== paymentId) return null
  const state = subject?.payment ?? null
  if (subject !== null && subject.deliveries !== command.subjectDeliveries) return null
  const applied = await applyAnswer(unit, { state, link }, { source: 'COMMAND', report, at })
  return applied?.payment ?? null
}
