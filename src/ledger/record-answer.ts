import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import { belongsTogether } from '../domain/payments/attribution.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import { planAnew, planNoLater, planRetry, readAgain } from '../domain/reads/read-schedule.ts'
import type { AgreementRow } from '../store/rows/agreement-rows.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import type { ReadOutcome } from '../store/store.ts'
import { type AgreementTarget, namesAnothersTransaction } from './subjects/agreement-subject.ts'
import { type PaymentTarget, targetOf } from './subjects/payment-subject.ts'
import { type Kind, type Ledger, type ReadableSubject, recordChange, type Target } from './subjects/subject.ts'

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
    subject.savePayer(rows, report)
  } else return null
  const confirmed = subject.confirmed(row, at)
  subject.put(rows, confirmed)
  subject.affect(rows, confirmed.state, { before: target.row?.state ?? null, isChanged: true })
  return { row: confirmed, changed: change !== null }
}

/** The same for the response to a read; also plans the next read. */
export function applyRead<K extends Kind>(
  subject: ReadableSubject<K>,
  ledger: Ledger,
  target: Target<K>,
  { at, dueAt }: { readonly at: Date; readonly dueAt: number | null },
): ReadOutcome | null {
  const applied = applyAnswer(subject, ledger, target, { source: 'READ', at })
  if (applied === null) return null
  const { row, changed } = applied
  const now = at.getTime()
  const lateMs = dueAt === null ? 0 : Math.max(0, now - dueAt)
  const times = { now, windowMs: ledger.settings.refundWindowMs, lateMs }
  const next = subject.nextPoll(ledger.rows, row.state, times)
  subject.put(ledger.rows, { ...row, plan: planAnew(row.plan, next) })
  return changed ? 'changed' : 'confirmed'
}

/** Returns a row with another read planned after an unusable response. */
export function planFruitless<Row extends { readonly plan: AgreementRow['plan'] }>(row: Row, at: Date): Row {
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
export function postponed<Row extends { readonly plan: AgreementRow['plan'] }>(
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
