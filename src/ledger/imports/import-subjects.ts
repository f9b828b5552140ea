import { agreementStreamId, decideAgreementRead } from '../../domain/agreements/agreement.ts'
import type { Amounts, ComparedEntry } from '../../domain/imports/import-report.ts'
import { attributeRead, readOfUnusedLink } from '../../domain/payments/attribution.ts'
import { isListable, isPerhapsUnused } from '../../domain/payments/direct-payin.ts'
import type { PaymentDetails, PaymentReport } from '../../domain/payments/payment-report.ts'
import { decideRead, type Payment } from '../../domain/payments/payment.ts'
import { decidePayoutRead, payoutStreamId } from '../../domain/payouts/payout.ts'
import { type ReadPlan, readSiteOf } from '../../domain/reads/read-schedule.ts'
import type { FoundPayment, FoundAgreement, FoundPayout } from '../../store/port.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { applyRead, type ReadTarget, recordPaymentRead, scheduled } from '../record-read.ts'
import { AGREEMENT, findAddressed, findAgreement, namesAnothersTransaction } from '../subjects/agreement-subject.ts'
import { PAYMENT } from '../subjects/payment-subject.ts'
import { findAddressedPayout, findPayout, PAYOUT, wantPayout } from '../subjects/payout-subject.ts'
import { findAttempt, findPayment, type Ledger } from '../subjects/subject.ts'

/** An entry of a list, and the id under which it is counted once. */
export type ImportedEntry = ComparedEntry & { readonly countedAs: string }

/** `dryRun`: it is only compared. */
type How = { readonly at: Date; readonly dryRun: boolean }

/** Requests the rows of a payment that was found, so that those of a page are loaded together. */
export function wantFoundPayment(rows: Rows, { report, ref }: FoundPayment): void {
  rows.attempts.want('ref', ref)
  rows.links.want('ref', ref)
  rows.links.want('id', report.linkId ?? report.paymentId)
  rows.payments.want('id', report.paymentId)
  rows.payins.want('paymentId', report.paymentId)
  rows.paymentPayers.want('id', report.paymentId)
}

/**
 * Compares a payment that the payments API has with the record, and records it. One that is on record and equal counts as read; one that
 * differs is read back after all doubts, because an entry may be older than a webhook that has arrived meanwhile, and may contain less than
 * the payment. One that is not on record is recorded with an event, as after a webhook; one that was made elsewhere has no link and no owner
 * here.
 */
export function importPayment(ledger: Ledger, found: FoundPayment, how: How): ImportedEntry {
  const { rows } = ledger
  const ref = found.ref !== null && findAttempt(rows, found.ref) !== null ? found.ref : null
  const known = findKnown(rows, found.report, ref)
  if (known === null) return addPayment(ledger, { ...found, ref }, how)
  const { payment, link } = known
  const entry = {
    id: payment?.state.id ?? found.report.paymentId,
    countedAs: link?.link.id ?? found.report.paymentId,
    theirs: payment === null ? null : amountsOf(found.report.details),
    ours: payment === null ? null : amountsOf(payment.state.details),
  }
  return { ...entry, outcome: confirmKnown(ledger, known, found, how) }
}

/** Returns the payment on record, or the link of ours that nobody has paid through. */
function findKnown(rows: Rows, report: PaymentReport, ref: string | null): ReadTarget | null {
  const payment = findPayment(rows, report.paymentId)
  if (payment !== null) {
    const { linkRef } = payment.state
    return { payment, link: linkRef === null ? null : rows.links.first('ref', linkRef) }
  }
  const link =
    (ref === null ? null : rows.links.first('ref', ref)) ?? rows.links.first('id', report.linkId ?? report.paymentId)
  if (link === null) return null
  const { id, paymentId } = link.link
  if (paymentId !== null && report.paymentId === id) return { payment: findPayment(rows, paymentId), link }
  return readOfUnusedLink(link.link, report) === 'paid-through' ? null : { payment: null, link }
}

function confirmKnown(
  ledger: Ledger,
  target: ReadTarget,
  found: FoundPayment,
  { at, dryRun }: How,
): 'EQUAL' | 'DIFFERED' {
  const { rows } = ledger
  const { payment, link } = target
  const outcome = agrees(target, found.report) ? 'EQUAL' : 'DIFFERED'
  if (dryRun) return outcome
  if (found.isPayerErased && payment !== null) keepErased(rows, payment.state.id)
  const canBeRead = isReadable({ ...found, ref: payment?.state.linkRef ?? null })
  const isPlanned = (payment ?? link)?.plan.dueAt != null
  const isRecorded =
    outcome === 'EQUAL' ? isPlanned && (payment === null || isListable(payment.state)) : payment === null || !canBeRead
  if (isRecorded) {
    const deliveries = (payment?.deliveries ?? 0) + (link?.deliveries ?? 0)
    const asked = { paymentId: payment?.state.id ?? null, link: link?.link ?? null, deliveries }
    recordPaymentRead(ledger, asked, found.report, at)
    if (payment !== null && !canBeRead) planNoRead(rows, payment.state.id)
  } else if (payment !== null && outcome === 'DIFFERED') rows.payments.put(readSoon(payment, at))
  return outcome
}

function planNoRead(rows: Rows, id: string): void {
  const row = findPayment(rows, id)
  if (row !== null) rows.payments.put({ ...row, plan: { ...row.plan, dueAt: null } })
}

/** Returns a row with a read planned that need not wait for its time. */
function readSoon<Row extends { readonly plan: ReadPlan }>(row: Row, at: Date): Row {
  return scheduled(row, { at: at.getTime(), readClass: 'poll' })
}

function agrees({ payment, link }: ReadTarget, report: PaymentReport): boolean {
  if (payment === null)
    return link !== null && (readOfUnusedLink(link.link, report) === 'untouched' || link.link.expired)
  const said = attributeRead({ paymentId: payment.state.id, link: link?.link ?? null }, report)
  return said !== null && decideRead(payment.state, said).disposition === 'NO_CHANGE'
}

function addPayment(ledger: Ledger, found: FoundPayment, { at, dryRun }: How): ImportedEntry {
  const { rows } = ledger
  const { report, site, isPayerErased } = found
  const { paymentId: id } = report
  const passedOver: ImportedEntry = { id, countedAs: id, outcome: 'PASSED_OVER', theirs: null, ours: null }
  if (found.isLink && isPerhapsUnused(report)) return passedOver
  const target = PAYMENT.findTarget(rows, report, found.ref)
  if (target === null || target.state !== null) return passedOver
  const link = target.names.linkRef === null ? null : rows.links.first('ref', target.names.linkRef)
  const added: ImportedEntry = {
    id,
    countedAs: link?.link.id ?? id,
    outcome: 'ADDED',
    theirs: amountsOf(report.details),
    ours: null,
  }
  if (dryRun) return added
  if (isPayerErased) keepErased(rows, id)
  applyRead(PAYMENT, ledger, target, at)
  planFound(rows, { id, site, isReadable: isReadable(found), at })
  return added
}

/**
 * A payment through a link that was made elsewhere can be read only through that link. If the list does not name the link, no read is
 * planned: a webhook or the next comparison shows what becomes of it.
 */
function isReadable({ isLink, report, ref }: FoundPayment): boolean {
  return !isLink || report.linkId !== null || ref !== null
}

/** Records the site of a payment that was made elsewhere, and plans its reads. */
function planFound(
  rows: Rows,
  { id, site, isReadable: canBeRead, at }: { id: string; site: string; isReadable: boolean; at: Date },
): void {
  const row = findPayment(rows, id)
  if (row === null) return
  const { state } = row
  const isOurs = state.linkRef !== null || rows.payins.first('paymentId', id) !== null
  const sited = isOurs ? row : { ...row, readSite: readSiteOf(site, null) }
  rows.payments.put(isListable(state) ? sited : readSoon(sited, at))
  if (!canBeRead) planNoRead(rows, id)
}

/** Marks the payer of a payment as erased, unless one is on record: then the erasure itself is about it. */
function keepErased(rows: Rows, id: string): void {
  if (rows.paymentPayers.first('id', id) !== null) return
  rows.paymentPayers.put({ id, payer: { name: null, email: null }, cardToken: null, erased: true })
}

function amountsOf({ currency, amount, paid, refunded }: PaymentDetails): Amounts {
  return { currency, amount, paid, refunded }
}

/** Records a payment that is not on record. Returns the payment on record; null if the answer is about no payment yet. */
export function recordFoundPayment(ledger: Ledger, found: FoundPayment, at: Date): Payment | null {
  wantFoundPayment(ledger.rows, found)
  const { id, outcome } = importPayment(ledger, found, { at, dryRun: false })
  return outcome === 'PASSED_OVER' ? null : (findPayment(ledger.rows, id)?.state ?? null)
}

/** Requests the rows of an agreement that was found. */
export function wantFoundAgreement(rows: Rows, { report, ref }: FoundAgreement): void {
  rows.attempts.want('ref', ref)
  rows.agreements.want('id', report.id)
  rows.agreements.want('clientTransactionId', report.clientTransactionId)
  rows.agreementPayers.want('id', report.id)
}

/**
 * The same as `importPayment`, of an agreement. One that was made elsewhere gets a correlation id, under which its callbacks come once it is
 * amended here: an amendment gives the payments API a new callback URL.
 */
export function importAgreement(
  ledger: Ledger,
  found: FoundAgreement,
  { at, dryRun }: { readonly at: Date; readonly dryRun: boolean },
): ImportedEntry {
  const { rows } = ledger
  const { report, site } = found
  const entry = { id: report.id, countedAs: report.id, theirs: null, ours: null }
  const known = findAgreement(rows, report.id)
  if (known !== null) {
    const isEqual = decideAgreementRead(known.state, report).disposition === 'NO_CHANGE'
    if (!isEqual && !dryRun) rows.agreements.put(readSoon(known, at))
    return { ...entry, outcome: isEqual ? 'EQUAL' : 'DIFFERED' }
  }
  if (namesAnothersTransaction(rows, report)) return { ...entry, outcome: 'PASSED_OVER' }
  const isOurs = found.ref !== null && findAttempt(rows, found.ref)?.kind === 'agreement'
  const target = isOurs
    ? findAddressed(rows, report, { ref: found.ref, site })
    : { row: null, state: null, names: foundNames(found), report }
  if (target === null) return { ...entry, outcome: 'PASSED_OVER' }
  if (dryRun) return { ...entry, outcome: 'ADDED' }
  if (!isOurs) recordCorrelationId(rows, found, at)
  applyRead(AGREEMENT, ledger, target, at)
  return { ...entry, outcome: 'ADDED' }
}

/** As of a command that is not on record any more, so that callbacks at its URL are accepted. */
function recordCorrelationId(rows: Rows, { newRef: ref, site }: FoundAgreement, at: Date): void {
  const unknown = { requested: null, ownerId: null, traceparent: null }
  rows.attempts.put({ ref, commandId: ref, attempt: 1, sentAt: at.getTime(), kind: 'agreement', site, ...unknown })
}

function foundNames({ report: { id }, site, newRef }: FoundAgreement) {
  return { id, ref: newRef, streamId: agreementStreamId(newRef), site, ownerId: null }
}

/** Requests the rows of a payout that was found. */
export function wantFoundPayout(rows: Rows, { report, ref }: FoundPayout): void {
  rows.attempts.want('ref', ref)
  wantPayout(rows, report.id)
}

/** The same as `importPayment`, of a payout. One that was made elsewhere gets a correlation id that no callback has. */
export function importPayout(
  ledger: Ledger,
  found: FoundPayout,
  { at, dryRun }: { readonly at: Date; readonly dryRun: boolean },
): ImportedEntry {
  const { rows } = ledger
  const { report, site } = found
  const { id } = report
  const known = findPayout(rows, id)
  const entry = {
    id,
    countedAs: id,
    theirs: payoutAmounts(report),
    ours: known === null ? null : payoutAmounts(known.state),
  }
  if (known !== null) {
    const isEqual = decidePayoutRead(known.state, report).disposition === 'NO_CHANGE'
    if (!isEqual && !dryRun) rows.payouts.put(readSoon(known, at))
    return { ...entry, outcome: isEqual ? 'EQUAL' : 'DIFFERED' }
  }
  const isOurs = found.ref !== null && findAttempt(rows, found.ref)?.kind === 'payout'
  const target = isOurs
    ? findAddressedPayout(rows, report, { ref: found.ref, site })
    : { row: null, state: null, names: { id, ref: found.newRef, streamId: payoutStreamId(id), site }, report }
  if (target === null) return { ...entry, outcome: 'PASSED_OVER' }
  if (!dryRun) applyRead(PAYOUT, ledger, target, at)
  return { ...entry, outcome: 'ADDED' }
}

/** A payout is paid as a whole: `paid` and `refunded` are those of payments. */
function payoutAmounts(payout: { readonly currency: string | null; readonly totalAmount: string | null }): Amounts {
  return { currency: payout.currency, amount: payout.totalAmount, paid: null, refunded: null }
}
