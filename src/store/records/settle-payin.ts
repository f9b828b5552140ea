import { decideCreation, type DirectPayin } from '../../domain/direct-payin.ts'
import type { Payer, PaymentReport } from '../../domain/payment-report.ts'
import { type Payment, withRequestedAmount } from '../../domain/payment.ts'
import { StoreConflictError } from '../errors.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { birthOf } from './birth.ts'
import { asRequested, changePayment } from './change-payment.ts'
import { findPayin, insertPayin } from './payin-records.ts'
import { confirmPayment, findPayment, payersOf, savePayer, savePayment } from './payment-records.ts'
import { planReadBy } from './plan-read.ts'
import { findUnsettled, markSettled } from './settle-command.ts'

type Made = { readonly payin: DirectPayin; readonly report: PaymentReport; readonly at: Date }

/**
 * Ends a command with the payment it made without a link: the payin, the payment, its event, and the command's result.
 * What webhooks have told of the payment before stays. A second time for the same payment changes nothing. Throws
 * `StoreConflictError` for a command that ended otherwise, and for a payment that belongs to something else.
 */
export async function settleWithPayin(unit: WriteUnit, commandId: string, made: Made): Promise<Payment> {
  const { db } = unit
  const { payin, at } = made
  const result = { paymentId: payin.paymentId }
  const known = await findPayment(db, payin.paymentId)
  if ((await findUnsettled(db, commandId, result)) === null && known !== null) return known
  await assertNew(db, payin, made.report, known)
  const { payment, confirm } = await recordCreation(unit, known, made)
  await insertPayin(db, payin)
  await savePayment(db, payment, { site: payin.site })
  await confirmPayment(db, payment.id, at)
  if (confirm) await planReadBy(db, { payment, link: null }, { at: at.getTime(), readClass: 'doubt' })
  await markSettled(db, commandId, result)
  return payment
}

async function assertNew(
  db: Db,
  { paymentId, ref }: DirectPayin,
  report: PaymentReport,
  known: Payment | null,
): Promise<void> {
  if (report.paymentId !== paymentId) throw new StoreConflictError('The answer is about another payment.')
  if (known !== null && known.linkRef !== null)
    throw new StoreConflictError(`The service gave the uuid ${paymentId} to a payment through a link already.`)
  if ((await findPayin(db, { paymentId })) !== null)
    throw new StoreConflictError(`The service gave the uuid ${paymentId} to a second payment.`)
  if ((await findPayin(db, { ref })) !== null)
    throw new StoreConflictError('The correlator of the payment belongs to another payment.')
}

async function recordCreation(
  unit: WriteUnit,
  known: Payment | null,
  { payin, report: said, at }: Made,
): Promise<{ payment: Payment; confirm: boolean }> {
  const state = known === null ? null : asRequested(known, payin.requestedAmount)
  const answer = { ...said, linkId: null }
  const report = state === null ? withRequestedAmount(answer, payin.requestedAmount) : answer
  const { change, provisional: doubt, confirm } = decideCreation(state, report)
  const provisional = doubt ?? state?.provisional ?? false
  const payer = await missingOf(unit.db, report)
  if (change !== null) {
    const recorded = {
      source: 'COMMAND',
      report: { ...report, payer },
      link: null,
      provisional,
      at,
      deliveryId: null,
    } as const
    const { payment } = await changePayment(unit, state ?? birthOf(report.paymentId, null), change, recorded)
    return { payment, confirm }
  }
  if (state === null) throw new Error('What creates a payment must change something.')
  const payment = { ...state, provisional }
  await savePayment(unit.db, payment)
  await savePayer(unit.db, payment.id, payer)
  return { payment, confirm }
}

/** What webhooks have told of the payer stays. */
async function missingOf(db: Db, { paymentId, payer: said }: PaymentReport): Promise<Payer> {
  const known = (await payersOf(db, [paymentId])).get(paymentId)
  return { name: known?.name == null ? said.name : null, email: known?.email == null ? said.email : null }
}
