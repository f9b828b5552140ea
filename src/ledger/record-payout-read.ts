import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { PayoutReadSubject, ReadOutcome } from '../store/store.ts'
import { answeredPayout, findPayout, PAYOUT, wantPayout } from './payout-subject.ts'
import { applyRead, planFruitless, postponed } from './record-answer.ts'
import type { Ledger } from './subject.ts'

/** Records the result of a payout read; outcomes as for payments. */
export function recordPayoutRead(
  ledger: Ledger,
  asked: PayoutReadSubject,
  { report, at }: { readonly report: PayoutReport; readonly at: Date },
): ReadOutcome {
  const { rows } = ledger
  wantPayout(rows, asked.payout.id)
  const row = findPayout(rows, asked.payout.id)
  if (row === null || row.deliveries !== asked.deliveries) return 'superseded'
  const outcome = applyRead(PAYOUT, ledger, answeredPayout(row, report), { at, dueAt: null })
  if (outcome === null) rows.payouts.put(planFruitless(row, at))
  return outcome ?? 'fruitless'
}

/** Records that a read gave no result, and when to retry; null for never. */
export function postponePayoutRead({ rows }: Ledger, asked: PayoutReadSubject, until: Date | null): void {
  const row = findPayout(rows, asked.payout.id)
  if (row !== null) rows.payouts.put(postponed(row, { until, isCurrent: row.deliveries === asked.deliveries }))
}
