import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { AgreementReadSubject, ReadOutcome } from '../store/store.ts'
import { AGREEMENT, findAgreement } from './agreement-subject.ts'
import { answeredAgreement, applyRead, planFruitless, postponed } from './record-answer.ts'
import type { Ledger } from './subject.ts'

/** Records the result of an agreement read; outcomes as for payments. */
export function recordAgreementRead(
  ledger: Ledger,
  asked: AgreementReadSubject,
  { report, at }: { readonly report: AgreementReport; readonly at: Date },
): ReadOutcome {
  const { rows } = ledger
  rows.agreements.want('clientTransactionId', report.clientTransactionId)
  rows.agreementPayers.want('id', report.id)
  const row = findAgreement(rows, asked.agreement.id)
  if (row === null || row.deliveries !== asked.deliveries) return 'superseded'
  const target = answeredAgreement(rows, row, report)
  const outcome = target === null ? null : applyRead(AGREEMENT, ledger, target, { at, dueAt: null })
  if (outcome === null) rows.agreements.put(planFruitless(row, at))
  return outcome ?? 'fruitless'
}

/** Records that a read gave no result, and when to retry; null for never. */
export function postponeAgreementRead({ rows }: Ledger, asked: AgreementReadSubject, until: Date | null): void {
  const row = findAgreement(rows, asked.agreement.id)
  if (row !== null) rows.agreements.put(postponed(row, { until, isCurrent: row.deliveries === asked.deliveries }))
}
