import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import { decideAgreementCreation } from '../domain/agreements/agreement-rules.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { Command } from '../domain/command.ts'
import { attributeRead } from '../domain/payments/attribution.ts'
import { decideCreation, type DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentReport, RequestedRefund } from '../domain/payments/payment-report.ts'
import { type Payment, reportOf, withRequestedAmount } from '../domain/payments/payment.ts'
import type { RefundTerms } from '../store/command-store.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { findUnsettled, linkDeliveries, markSettled } from './command-records.ts'
import { answeredAgreement, answeredPayment, applyAnswer } from './record-read.ts'
import { AGREEMENT, findAddressed, findAgreement } from './subjects/agreement-subject.ts'
import { resolveDuplicate, asRequested, PAYMENT, targetOf } from './subjects/payment-subject.ts'
import {
  findPayment,
  linkOf,
  confirmBy,
  type Kind,
  type Ledger,
  recordChange,
  type Subject,
  type SubjectDecision,
  type Target,
} from './subjects/subject.ts'

/** Completes a command with a plain result. Idempotent. Throws as `findUnsettled` does. */
export function settle(rows: Rows, commandId: string, result: unknown): void {
  if (findUnsettled(rows, commandId, result) !== null) markSettled(rows, commandId, result)
}

type Paid = { readonly payin: DirectPayin; readonly report: PaymentReport; readonly at: Date }

/**
 * Completes a command with the payment it created without a link: stores the payin, the payment, its event and the command's result. Facts
 * from earlier webhooks are kept. Idempotent for the same payment. Throws `StoreConflictError` if the command has another outcome, or if
 * the payment belongs to another object.
 */
export function settleWithPayin(of: Ledger, commandId: string, { payin, report: said, at }: Paid): Payment {
  const { rows } = of
  rows.payins.want('paymentId', payin.paymentId)
  rows.payins.want('ref', payin.ref)
  rows.paymentPayers.want('id', payin.paymentId)
  const result = { paymentId: payin.paymentId }
  const known = findPayment(rows, payin.paymentId)
  const command = findUnsettled(rows, commandId, result)
  if (command === null && known !== null) return known.state
  const ledger = { ...of, requestedBy: command?.requestedBy ?? null }
  assertNewPayin(rows, payin, said, known)
  rows.payins.put(payin)
  const target = createdPayment(known, payin, said)
  const { row, confirm } = recordCreation(PAYMENT, ledger, target, { decide: decideCreation, at })
  const counted = { ...row, deliveries: row.deliveries + 1 }
  const confirmed = confirm ? confirmBy(counted, at) : counted
  rows.payments.put(confirmed)
  markSettled(rows, commandId, result)
  // What a webhook reported before was compared without the reference of the payin.
  return PAYMENT.follow(ledger, { before: null, row: confirmed, source: 'COMMAND', at }).state
}

function assertNewPayin(
  rows: Rows,
  { paymentId, ref }: DirectPayin,
  report: PaymentReport,
  known: PaymentRow | null,
): void {
  if (report.paymentId !== paymentId) throw new StoreConflictError('The answer is about another payment.')
  if (known !== null && known.state.linkRef !== null)
    throw new StoreConflictError(`The payments API gave the uuid ${paymentId} to a payment through a link already.`)
  if (rows.payins.first('paymentId', paymentId) !== null)
    throw new StoreConflictError(`The payments API gave the uuid ${paymentId} to a second payment.`)
  if (rows.payins.first('ref', ref) !== null)
    throw new StoreConflictError('The correlation id of the payment belongs to another payment.')
}

function createdPayment(row: PaymentRow | null, { requestedAmount }: DirectPayin, said: PaymentReport) {
  const report = { ...said, linkId: null }
  const target = targetOf(row, report, { linkRef: null, link: null })
  if (target.state !== null) return { ...target, state: asRequested(target.state, requestedAmount) }
  return { ...target, report: withRequestedAmount(report, requestedAmount) }
}

/**
 * Completes a command with the agreement it created. Facts from earlier callbacks are kept. Idempotent for the same agreement. Throws
 * `StoreConflictError` if the command has another outcome, or if the agreement, its clientTransactionId or its correlation id belongs to
 * another object.
 */
export function settleWithAgreement(
  ledger: Ledger,
  commandId: string,
  made: { readonly ref: string; readonly site: string; readonly report: AgreementReport; readonly at: Date },
): Agreement {
  const { report } = made
  return settleWithCreated(AGREEMENT, ledger, commandId, {
    ...made,
    find: () => findAddressed(ledger.rows, report, made),
    decide: decideAgreementCreation,
    result: { agreementId: report.id },
  })
}

type Created<K extends Kind> = Creation<K> & {
  /** Returns what the report is about; null if that belongs to another command. Its look-ups are loaded with those of the command. */
  readonly find: () => Target<K> | null
  readonly report: K['Report']
  readonly result: unknown
}

/** Completes a command with what it created, as `settleWithAgreement` describes. */
export function settleWithCreated<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  commandId: string,
  { find, decide, report, result, at }: Created<K>,
): K['State'] {
  const { rows } = ledger
  rows.commands.want('id', commandId)
  const target = find()
  const unsettled = findUnsettled(rows, commandId, result)
  if (target === null) throw new StoreConflictError(`The id ${subject.idOf(report)} belongs to another command.`)
  if (unsettled === null && target.state !== null) return target.state
  const asked = { ...ledger, requestedBy: unsettled?.requestedBy ?? null }
  const { row, confirm } = recordCreation(subject, asked, target, { decide, at })
  subject.put(rows, confirm ? confirmBy(row, at) : row)
  markSettled(rows, commandId, result)
  return row.state
}

type Creation<K extends Kind> = {
  readonly decide: (state: K['State'] | null, report: K['Report']) => SubjectDecision<K['Change']>
  readonly at: Date
}

/** Applies the response to a creation; facts from earlier webhooks are kept. The caller writes the returned row. */
export function recordCreation<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  target: Target<K>,
  { decide, at }: Creation<K>,
): { row: K['Row']; confirm: boolean } {
  const { rows } = ledger
  const { state } = target
  const { change, provisional: doubt, confirm } = decide(state, target.report)
  const provisional = doubt ?? state?.provisional ?? false
  const report = subject.withKnownPayer(rows, target.report)
  if (change !== null) {
    const fact = { change, source: 'COMMAND', report, provisional, at } as const
    return { row: recordChange(subject, ledger, target, fact).row, confirm }
  }
  if (state === null) throw new Error('What creates something must change something.')
  subject.savePayer(ledger, report)
  return { row: subject.rowOf(rows, { ...state, provisional }, target.row, report), confirm }
}

type AboutPayment = {
  readonly paymentId: string
  readonly report: PaymentReport | null
  readonly at: Date
  readonly refund?: RefundTerms
}

/**
 * Completes a command about a payment, and records the change in its response as an event. If the response is not reliable, a read of the
 * payment is due now. Idempotent for the same payment. Throws `StoreConflictError` if the command has another outcome.
 */
export function settleWithPayment(of: Ledger, commandId: string, answer: AboutPayment): Payment | null {
  const { rows } = of
  const { paymentId, at } = answer
  rows.commands.want('id', commandId)
  rows.payins.want('paymentId', paymentId)
  rows.paymentPayers.want('id', paymentId)
  rows.refundRequests.want('commandId', commandId)
  const row = findPayment(rows, paymentId)
  const command = findUnsettled(rows, commandId, { paymentId })
  if (command === null) return row?.state ?? null
  const ledger = { ...of, requestedBy: command.requestedBy }
  markSettled(rows, commandId, { paymentId })
  const requested =
    answer.refund === undefined ? null : saveRequest(rows, command, { paymentId, refund: answer.refund })
  const applied = applyToPayment(ledger, row, command, { ...answer, requested })
  if (applied !== null) return applied.state
  if (row === null) return null
  const after = requested === null ? row : recordRefund(ledger, row, requested, at)
  rows.payments.put(confirmBy(after, at))
  return after.state
}

/** Records the key and the reason of a refund apart from the log, which has no personal data. Returns the refund as a part of its payment. */
function saveRequest(
  rows: Rows,
  command: Command,
  { paymentId, refund }: { readonly paymentId: string; readonly refund: RefundTerms },
): RequestedRefund {
  const isErased = rows.paymentPayers.first('id', paymentId)?.erased === true
  const reason = isErased ? null : refund.reason
  rows.refundRequests.put({ commandId: command.id, paymentId, idempotencyKey: command.key, reason })
  return {
    commandId: command.id,
    amount: refund.amount,
    requestedAt: new Date(command.sentAt).toISOString(),
    subjectVersion: command.subjectVersion ?? 0,
  }
}

/**
 * Resolves the duplicate of a payment, because an operator keeps both. Idempotent. Returns the payment; null if it never was a duplicate.
 */
export function dismissDuplicate(
  ledger: Ledger,
  paymentId: string,
  at: Date,
  requestedBy: string | null = null,
): Payment | null {
  const { rows } = ledger
  rows.duplicates.want('paymentId', paymentId)
  const row = findPayment(rows, paymentId)
  if (row === null || rows.duplicates.first('paymentId', paymentId) === null) return null
  return resolveDuplicate({ ...ledger, requestedBy }, row, { resolution: 'DISMISSED', source: 'COMMAND', at }).state
}

/** Records a refund whose response says nothing reliable about the payment. */
function recordRefund(ledger: Ledger, row: PaymentRow, requestedRefund: RequestedRefund, at: Date): PaymentRow {
  const { state } = row
  const { statusRaw, status, details, provisional, linkRef } = state
  const change = { kind: 'PAYMENT_DETAILS_CHANGED', statusRaw, status, details, requestedRefund } as const
  const target = targetOf(row, reportOf(state), { linkRef, link: linkOf(ledger.rows, state) })
  const fact = { change, source: 'COMMAND', report: target.report, provisional, at } as const
  return recordChange(PAYMENT, ledger, target, fact).row
}

/**
 * Returns null if the response is not reliable: it shows the state at some moment after the command was sent, and a delivery or another
 * response that was recorded since may be newer or older. Both are detected by counts, because clocks of nodes differ.
 */
function applyToPayment(
  ledger: Ledger,
  row: PaymentRow | null,
  command: Command,
  { paymentId, report: said, at, requested }: AboutPayment & { readonly requested: RequestedRefund | null },
): PaymentRow | null {
  const { rows } = ledger
  const link = row === null ? null : linkOf(rows, row.state)
  const report = said === null ? null : attributeRead({ paymentId, link }, said)
  if (report === null || report.paymentId !== paymentId) return null
  if (row !== null && row.deliveries + linkDeliveries(rows, row.state) !== command.subjectDeliveries) return null
  const full = requested === null ? report : { ...report, requestedRefund: requested }
  const target = answeredPayment(row, link, full)
  const applied = target === null ? null : applyAnswer(PAYMENT, ledger, target, { source: 'COMMAND', at })
  return applied?.row ?? null
}

/**
 * Completes a command that amended an agreement or changed its status, and records the change in its response as an event. If the response
 * is unusable, or a callback was recorded since the command was sent, a read of the agreement is due now. Idempotent for the same
 * agreement. Throws `StoreConflictError` if the command has another outcome, or if the agreement has no record.
 */
export function settleWithAgreementChange(
  ledger: Ledger,
  commandId: string,
  { agreementId, report, at }: { readonly agreementId: string; readonly report: AgreementReport; readonly at: Date },
): Agreement {
  const { rows } = ledger
  rows.agreements.want('id', agreementId)
  rows.agreements.want('clientTransactionId', report.clientTransactionId)
  rows.agreementPayers.want('id', report.id)
  const command = findUnsettled(rows, commandId, { agreementId })
  const row = findAgreement(rows, agreementId)
  if (row === null) throw new StoreConflictError('The agreement that was changed is not on record.')
  if (command === null) return row.state
  // Detected by counts, not by instants: clocks of nodes differ.
  const overtaken = row.deliveries !== command.subjectDeliveries
  const target = answeredAgreement(rows, row, report)
  const asked = { ...ledger, requestedBy: command.requestedBy }
  const applied = target === null ? null : applyAnswer(AGREEMENT, asked, target, { source: 'COMMAND', at, overtaken })
  const after = applied?.row ?? row
  if (applied === null || overtaken) rows.agreements.put(confirmBy(after, at))
  markSettled(rows, commandId, { agreementId })
  return after.state
}
