import { agreementStreamId, decideAgreementRead } from '../../domain/agreements/agreement.ts'
import type { Rows } from '../../store/rows/rows.ts'
import type { FoundAgreement } from '../../store/store.ts'
import { AGREEMENT, findAddressed, findAgreement, namesAnothersTransaction } from '../agreement-subject.ts'
import { findAttempt } from '../attempts.ts'
import { applyRead } from '../record-answer.ts'
import { confirmBy, type Ledger } from '../subject.ts'
import type { ImportedEntry } from './import-payment.ts'

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
    if (!isEqual && !dryRun) rows.agreements.put(confirmBy(known, at))
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
  applyRead(AGREEMENT, ledger, target, { at, dueAt: null })
  return { ...entry, outcome: 'ADDED' }
}

/** As of a command that is not on record any more, so that callbacks at its URL are accepted. */
function recordCorrelationId(rows: Rows, { newRef: ref, site }: FoundAgreement, at: Date): void {
  rows.attempts.put({ ref, commandId: ref, attempt: 1, sentAt: at.getTime(), kind: 'agreement', site, requested: null })
}

function foundNames({ report: { id }, site, newRef }: FoundAgreement) {
  return { id, ref: newRef, streamId: agreementStreamId(newRef), site }
}
