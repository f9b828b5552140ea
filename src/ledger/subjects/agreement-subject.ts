import type { AgreementReport } from '../../domain/agreements/agreement-report.ts'
import {
  type Agreement,
  type NewAgreement,
  type AgreementChange,
  agreementStreamId,
  decideAgreementCallback,
  decideAgreementRead,
  evolveAgreement,
} from '../../domain/agreements/agreement.ts'
import { nextAgreementPoll } from '../../domain/reads/read-schedule.ts'
import type { AgreementRow } from '../../store/rows/agreement-rows.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { fromIso } from '../../store/rows/table.ts'
import {
  confirmUnread,
  findAttempt,
  refsOfSameCommand,
  mergePayers,
  savePayer,
  type ReadableSubject,
  type Target,
} from './subject.ts'

type AgreementKind = {
  readonly State: Agreement
  readonly Row: AgreementRow
  readonly Names: NewAgreement
  readonly Report: AgreementReport
  readonly Change: AgreementChange
}

export type AgreementTarget = Target<AgreementKind>

/** Payment agreements. */
export const AGREEMENT: ReadableSubject<AgreementKind> = {
  findTarget,
  idOf: ({ id }) => id,
  readAddressed(rows, ref, at) {
    const row = rows.agreements.first('ref', ref)
    if (row !== null) rows.agreements.put(confirmUnread(row, at))
    return row !== null
  },
  ownsStream: () => true,
  find: findAgreement,
  put: (rows, row) => rows.agreements.put(row),
  decideWebhook: decideAgreementCallback,
  decideRead: decideAgreementRead,
  evolve: evolveAgreement,
  eventOf: (agreement) => ({ linkRef: null, payment: null, agreement, payout: null, gatewayPayment: null }),
  rowOf: (_rows, state, before) => ({
    state,
    createdAt: before?.createdAt ?? fromIso(state.updatedAt),
    deliveries: before?.deliveries ?? 0,
    plan: before?.plan ?? { dueAt: null, readClass: 'poll', failures: 0 },
  }),
  nextPoll: (_rows, state, now) => nextAgreementPoll(state, now),
  savePayer: ({ rows }, report) => savePayer(rows.agreementPayers, report),
  withKnownPayer(rows, report) {
    const known = rows.agreementPayers.first('id', report.id)?.payer
    return known === undefined ? report : { ...report, payer: mergePayers(known, report.payer) }
  },
  affect() {},
  follow: (_ledger, { row }) => row,
  countElsewhere() {},
}

/** Returns the agreement with this id in the payments API. */
export function findAgreement(rows: Rows, id: string): AgreementRow | null {
  return rows.agreements.first('id', id)
}

/** Returns whether the clientTransactionId of a report belongs to another agreement. */
export function namesAnothersTransaction(rows: Rows, { id, clientTransactionId }: AgreementReport): boolean {
  if (clientTransactionId === null) return false
  const holder = rows.agreements.first('clientTransactionId', clientTransactionId)
  return holder !== null && holder.state.id !== id
}

/**
 * Returns the agreement that a report under a correlation id is about, or the ids of a new one. Null if that agreement was created under
 * another command's correlation id, or if the correlation id belongs to another agreement.
 */
export function findAddressed(
  rows: Rows,
  report: AgreementReport,
  { ref, site }: { readonly ref: string; readonly site: string },
): AgreementTarget | null {
  prefetch(rows, report, ref)
  if (namesAnothersTransaction(rows, report)) return null
  const refs = refsOfSameCommand(rows, ref)
  for (const other of refs) rows.agreements.want('ref', other)
  const known = findAgreement(rows, report.id)
  const ownerId = findAttempt(rows, ref)?.ownerId ?? null
  const names = { id: report.id, ref, streamId: agreementStreamId(ref), site, ownerId }
  if (known !== null) return refs.includes(known.state.ref) ? { row: known, state: known.state, names, report } : null
  if (refs.some((other) => rows.agreements.first('ref', other) !== null)) return null
  return { row: null, state: null, names, report }
}

function prefetch(rows: Rows, { id, clientTransactionId }: AgreementReport, ref: string): void {
  rows.attempts.want('ref', ref)
  rows.agreements.want('id', id)
  rows.agreements.want('clientTransactionId', clientTransactionId)
  rows.agreementPayers.want('id', id)
}

function findTarget(rows: Rows, report: AgreementReport, ref: string | null): AgreementTarget | null {
  // Agreements have no default URL.
  if (ref === null) return null
  prefetch(rows, report, ref)
  const attempt = findAttempt(rows, ref)
  if (attempt?.kind !== 'agreement') return null
  rows.attempts.want('commandId', attempt.commandId)
  // An agreement's clientTransactionId is the key of the command that requests it.
  const asked = rows.commands.first('id', attempt.commandId)?.key ?? null
  const named = report.clientTransactionId
  if (asked !== null && named !== null && asked !== named) return null
  return findAddressed(rows, report, { ref, site: attempt.site })
}
