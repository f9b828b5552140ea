import type { Amounts } from '../../domain/imports/import-report.ts'
import { decidePayoutRead, payoutStreamId } from '../../domain/payouts/payout.ts'
import type { Rows } from '../../store/rows/rows.ts'
import type { FoundPayout } from '../../store/store.ts'
import { findAttempt } from '../attempts.ts'
import { findAddressedPayout, findPayout, PAYOUT, wantPayout } from '../payout-subject.ts'
import { applyRead } from '../record-answer.ts'
import { confirmBy, type Ledger } from '../subject.ts'
import type { ImportedEntry } from './import-payment.ts'

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
  const entry = { id, countedAs: id, theirs: amountsOf(report), ours: known === null ? null : amountsOf(known.state) }
  if (known !== null) {
    const isEqual = decidePayoutRead(known.state, report).disposition === 'NO_CHANGE'
    if (!isEqual && !dryRun) rows.payouts.put(confirmBy(known, at))
    return { ...entry, outcome: isEqual ? 'EQUAL' : 'DIFFERED' }
  }
  const isOurs = found.ref !== null && findAttempt(rows, found.ref)?.kind === 'payout'
  const target = isOurs
    ? findAddressedPayout(rows, report, { ref: found.ref, site })
    : { row: null, state: null, names: { id, ref: found.newRef, streamId: payoutStreamId(id), site }, report }
  if (target === null) return { ...entry, outcome: 'PASSED_OVER' }
  if (!dryRun) applyRead(PAYOUT, ledger, target, { at, dueAt: null })
  return { ...entry, outcome: 'ADDED' }
}

/** A payout is paid as a whole: `paid` and `refunded` are those of payments. */
function amountsOf(payout: { readonly currency: string | null; readonly totalAmount: string | null }): Amounts {
  return { currency: payout.currency, amount: payout.totalAmount, paid: null, refunded: null }
}
