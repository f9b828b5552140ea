import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import { attributeRead, readOfUnusedLink, belongsTogether } from '../domain/payments/attribution.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import {
  planAnew,
  type PlannedRead,
  readAfterUntouched,
  planNoLater,
  planRetry,
  readAgain,
} from '../domain/reads/read-schedule.ts'
import type { ReadOutcome, ReadSubject, AgreementReadSubject, PayoutReadSubject } from '../store/port.ts'
import type { AgreementRow } from '../store/rows/agreement-rows.ts'
import type { LinkRow } from '../store/rows/link-rows.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { fromIso } from '../store/rows/table.ts'
import {
  AGREEMENT,
  findAgreement,
  type AgreementTarget,
  namesAnothersTransaction,
} from './subjects/agreement-subject.ts'
import { PAYMENT, type PaymentTarget, targetOf } from './subjects/payment-subject.ts'
import { answeredPayout, findPayout, PAYOUT, wantPayout } from './subjects/payout-subject.ts'
import {
  findPayment,
  appendEvent,
  OF_A_LINK,
  type Ledger,
  type Kind,
  type ReadableSubject,
  recordChange,
  type Target,
} from './subjects/subject.ts'

type Answer = { readonly report: PaymentReport; readonly at: Date }

/** What identifies a subject and the state at which it was asked about. */
type Asked = Pick<ReadSubject, 'paymentId' | 'link' | 'deliveries'>

/** A payment with its link, or a link without a known payment. */
export type ReadTarget = { readonly payment: PaymentRow | null; readonly link: LinkRow | null }

/**
 * Records the result of a read. `changed` or `confirmed` (no change): the next poll is planned, if there is to be one. `superseded`: a
 * delivery or another response was recorded since the subject was returned; nothing is changed, and the read stays due. `fruitless`: the
 * response contains nothing usable about the subject (it is about another payment, or reports a paid payment as pending); the read counts as a
 * failure and is retried with back-off, from 15 minutes on.
 */
export function recordPaymentRead(ledger: Ledger, asked: Asked, said: PaymentReport, at: Date): ReadOutcome {
  const { rows } = ledger
  const current = attribute(rows, asked, said)
  if (current === null) return 'superseded'
  const { target, report } = current
  if (report === null) return learnNothing(rows, target, at)
  if (target.payment !== null) return recordPayment(ledger, target, target.payment, { report, at })
  return target.link === null ? 'superseded' : recordLink(ledger, target.link, { report, at })
}

/**
 * Records a read without a result, and when to retry it; null for never. A read that was planned by a delivery since the subject was returned
 * stays due.
 */
export function postponePaymentRead({ rows }: Ledger, asked: ReadSubject, until: Date | null): void {
  prefetch(rows, asked, null)
  const target = takeAgain(rows, asked)
  if (target === null) return
  const isCurrent = deliveriesOf(target) === asked.deliveries
  putBack(rows, target, (row) => postponed(row, { until, isCurrent }))
}

/**
 * Plans a read of the subject with this payment id or upstream link uuid, without counting a failure. A read that is planned for an earlier
 * instant stays, unless only the new one is a doubt.
 */
export function schedulePaymentRead({ rows }: Ledger, id: string, next: PlannedRead): void {
  rows.payments.want('id', id)
  rows.links.want('id', id)
  const link = rows.links.first('id', id)
  const payment =
    findPayment(rows, id) ?? (link?.link.paymentId == null ? null : findPayment(rows, link.link.paymentId))
  putBack(rows, { payment, link }, (row) => scheduled(row, next))
}

function prefetch(rows: Rows, { paymentId, link }: Asked, report: PaymentReport | null): void {
  rows.payments.want('id', paymentId)
  rows.payins.want('paymentId', paymentId)
  rows.links.want('id', link?.id ?? null)
  rows.links.want('ref', link?.ref ?? null)
  if (report === null) return
  rows.payments.want('id', report.paymentId)
  rows.payins.want('paymentId', report.paymentId)
  rows.paymentPayers.want('id', report.paymentId)
}

/**
 * Returns the current subject, with the report if it is about that subject. Null if a delivery or another response was recorded since the
 * read began.
 */
function attribute(
  rows: Rows,
  asked: Asked,
  said: PaymentReport,
): { readonly target: ReadTarget; readonly report: PaymentReport | null } | null {
  prefetch(rows, asked, said)
  const target = takeAgain(rows, asked)
  if (target === null || deliveriesOf(target) !== asked.deliveries) return null
  return { target, report: attributeRead({ paymentId: asked.paymentId, link: target.link?.link ?? null }, said) }
}

/** Returns the current subject; null if it does not exist, such as a link without a payment that has a payment by now. */
function takeAgain(rows: Rows, { paymentId, link }: Asked): ReadTarget | null {
  if (paymentId !== null) {
    const payment = findPayment(rows, paymentId)
    if (payment === null) return null
    const { linkRef } = payment.state
    return { payment, link: linkRef === null ? null : rows.links.first('ref', linkRef) }
  }
  const row = link === null ? null : rows.links.first('id', link.id)
  return row?.link.paymentId === null ? { payment: null, link: row } : null
}

/** Both counts only grow, so an equal sum means that neither has changed. */
function deliveriesOf({ payment, link }: ReadTarget): number {
  return (payment?.deliveries ?? 0) + (link?.deliveries ?? 0)
}

/** Writes the row that plans the reads: the payment's or, without a payment, the link's. */
function putBack(
  rows: Rows,
  { payment, link }: ReadTarget,
  change: <Row extends { readonly plan: PaymentRow['plan'] }>(row: Row) => Row,
): void {
  const current = payment === null ? null : findPayment(rows, payment.state.id)
  if (current !== null) rows.payments.put(change(current))
  else if (link !== null) rows.links.put(change(link))
}

function learnNothing(rows: Rows, target: ReadTarget, at: Date): 'fruitless' {
  putBack(rows, target, (row) => planFruitless(row, at))
  return 'fruitless'
}

/** A response may be about another payment of the same link: it is recorded, and the read of the requested payment is retried. */
function recordPayment(ledger: Ledger, target: ReadTarget, payment: PaymentRow, { report, at }: Answer): ReadOutcome {
  const answered = payment.state.id === report.paymentId ? payment : findPayment(ledger.rows, report.paymentId)
  const about = answeredPayment(answered, target.link?.link ?? null, report)
  const outcome = about === null ? null : applyRead(PAYMENT, ledger, about, at)
  if (outcome === null || answered?.state.id !== payment.state.id) learnNothing(ledger.rows, target, at)
  return outcome ?? 'fruitless'
}

function recordLink(ledger: Ledger, row: LinkRow, { report, at }: Answer): ReadOutcome {
  const { rows } = ledger
  const { link } = row
  const use = readOfUnusedLink(link, report)
  if (use === 'untouched') {
    const dueAt = readAfterUntouched(fromIso(link.expiresAt), at.getTime())
    const plan = planAnew(row.plan, dueAt === null ? null : { at: dueAt, readClass: 'expiry' })
    rows.links.put({ ...row, plan })
    return 'confirmed'
  }
  if (use === 'expired') return expireLink(rows, row, at)
  const about = answeredPayment(findPayment(rows, report.paymentId), link, report)
  const outcome = about === null ? null : applyRead(PAYMENT, ledger, about, at)
  return outcome ?? learnNothing(rows, { payment: null, link: row }, at)
}

function expireLink(rows: Rows, row: LinkRow, at: Date): ReadOutcome {
  const { link } = row
  rows.links.put({
    ...row,
    link: { ...link, expired: true },
    plan: planAnew(row.plan, null),
  })
  if (link.expired) return 'confirmed'
  appendEvent(rows, {
    ...OF_A_LINK,
    kind: 'LINK_EXPIRED',
    source: 'READ',
    streamId: link.streamId,
    linkRef: link.ref,
    recordedAt: at.toISOString(),
  })
  return 'changed'
}

/** Records the result of an agreement read; outcomes as for payments. */
export function recordAgreementRead(
  ledger: Ledger,
  asked: AgreementReadSubject,
  report: AgreementReport,
  at: Date,
): ReadOutcome {
  const { rows } = ledger
  rows.agreements.want('clientTransactionId', report.clientTransactionId)
  rows.agreementPayers.want('id', report.id)
  const row = findAgreement(rows, asked.agreement.id)
  if (row === null || row.deliveries !== asked.deliveries) return 'superseded'
  const target = answeredAgreement(rows, row, report)
  const outcome = target === null ? null : applyRead(AGREEMENT, ledger, target, at)
  if (outcome === null) rows.agreements.put(planFruitless(row, at))
  return outcome ?? 'fruitless'
}

/** Records that a read gave no result, and when to retry; null for never. */
export function postponeAgreementRead({ rows }: Ledger, asked: AgreementReadSubject, until: Date | null): void {
  const row = findAgreement(rows, asked.agreement.id)
  if (row !== null) rows.agreements.put(postponed(row, { until, isCurrent: row.deliveries === asked.deliveries }))
}

/** Records the result of a payout read; outcomes as for payments. */
export function recordPayoutRead(
  ledger: Ledger,
  asked: PayoutReadSubject,
  report: PayoutReport,
  at: Date,
): ReadOutcome {
  const { rows } = ledger
  wantPayout(rows, asked.payout.id)
  const row = findPayout(rows, asked.payout.id)
  if (row === null || row.deliveries !== asked.deliveries) return 'superseded'
  const outcome = applyRead(PAYOUT, ledger, answeredPayout(row, report), at)
  if (outcome === null) rows.payouts.put(planFruitless(row, at))
  return outcome ?? 'fruitless'
}

/** Records that a read gave no result, and when to retry; null for never. */
export function postponePayoutRead({ rows }: Ledger, asked: PayoutReadSubject, until: Date | null): void {
  const row = findPayout(rows, asked.payout.id)
  if (row !== null) rows.payouts.put(postponed(row, { until, isCurrent: row.deliveries === asked.deliveries }))
}

export type AnswerFact = {
  /** READ: the response to a read. COMMAND: the response to a mutation. */
  readonly source: 'READ' | 'COMMAND'
  readonly at: Date
  /** A newer fact may have been recorded before: the change is provisional. */
  readonly overtaken?: boolean
}

/**
 * Applies a response of the payments API about a subject, to a read or to a command. Returns null if the response is unusable, such as one
 * that reports a paid payment as pending.
 */
export function applyAnswer<K extends Kind>(
  subject: ReadableSubject<K>,
  ledger: Ledger,
  target: Target<K>,
  { source, at, overtaken = false }: AnswerFact,
): { row: K['Row']; changed: boolean } | null {
  const { rows } = ledger
  const { state, report } = target
  const { disposition, change, provisional: doubt } = subject.decideRead(state, report)
  if (disposition === 'STALE') return null
  let row: K['Row']
  if (change !== null) {
    const provisional = overtaken || (doubt ?? false)
    row = recordChange(subject, ledger, target, { change, source, report, provisional, at }).row
  } else if (state !== null) {
    row = subject.rowOf(rows, { ...state, provisional: overtaken && state.provisional }, target.row, report)
    subject.savePayer(ledger, report)
  } else return null
  // Older responses in flight are detected by the count.
  const confirmed = { ...row, deliveries: row.deliveries + 1 }
  subject.put(rows, confirmed)
  subject.affect(rows, confirmed.state, { before: target.row?.state ?? null, isChanged: true })
  return { row: confirmed, changed: change !== null }
}

/** The same for the response to a read; also plans the next read. */
export function applyRead<K extends Kind>(
  subject: ReadableSubject<K>,
  ledger: Ledger,
  target: Target<K>,
  at: Date,
): ReadOutcome | null {
  const applied = applyAnswer(subject, ledger, target, { source: 'READ', at })
  if (applied === null) return null
  const { row, changed } = applied
  const next = subject.nextPoll(ledger.rows, row.state, at.getTime())
  subject.put(ledger.rows, { ...row, plan: planAnew(row.plan, next) })
  return changed ? 'changed' : 'confirmed'
}

/** Returns a row with another read planned after an unusable response. */
function planFruitless<Row extends { readonly plan: AgreementRow['plan'] }>(row: Row, at: Date): Row {
  return { ...row, plan: planRetry(row.plan, readAgain(at.getTime(), row.plan.failures)) }
}

/** Returns the target of a response about a payment and its link; null if it is about another object. */
export function answeredPayment(
  row: PaymentRow | null,
  link: PaymentLink | null,
  report: PaymentReport,
): PaymentTarget | null {
  const linkRef = link?.ref ?? null
  if (!belongsTogether(report, { ref: linkRef, link }, row?.state ?? null)) return null
  return targetOf(row, report, { linkRef, link })
}

/** Returns the target of a response about an agreement; null if it has another agreement's clientTransactionId. */
export function answeredAgreement(rows: Rows, row: AgreementRow, report: AgreementReport): AgreementTarget | null {
  if (namesAnothersTransaction(rows, report)) return null
  return { row, state: row.state, names: row.state, report }
}

/** Returns a row after a failed read. If a delivery was stored since, the read that it may have requested stays due. */
function postponed<Row extends { readonly plan: AgreementRow['plan'] }>(
  row: Row,
  { until, isCurrent }: { readonly until: Date | null; readonly isCurrent: boolean },
): Row {
  return { ...row, plan: planRetry(row.plan, isCurrent ? (until?.getTime() ?? null) : row.plan.dueAt) }
}

/** Returns a row with a read planned at an instant or earlier, as `planNoLater` does. */
export function scheduled<Row extends { readonly plan: AgreementRow['plan'] }>(
  row: Row,
  next: Parameters<typeof planNoLater>[1],
): Row {
  return { ...row, plan: planNoLater(row.plan, next) }
}
