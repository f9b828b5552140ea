import { decideAgreementCreation } from '../../domain/agreement-creation.ts'
import type { AgreementPayer, AgreementReport } from '../../domain/agreement-report.ts'
import type { Agreement, AgreementBirth } from '../../domain/agreement.ts'
import { StoreConflictError } from '../errors.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { agreementPayersOf, saveAgreement, saveAgreementPayer } from './agreement-records.ts'
import { findAgreementSubject, planAgreementReadBy } from './agreement-subjects.ts'
import { applyAgreementAnswer, asKnown, changeAgreement, findAddressed } from './change-agreement.ts'
import { findUnsettled, markSettled } from './settle-command.ts'

type Made = {
  readonly ref: string
  readonly site: string
  readonly report: AgreementReport
  readonly at: Date
}

/**
 * Ends a command with the agreement it made. What callbacks have told of it before stays. A second time for the same
 * agreement changes nothing. Throws `StoreConflictError` for a command that ended otherwise, and for an agreement, a
 * clientTransactionId or a correlator that belongs to something else.
 */
export async function settleWithAgreement(unit: WriteUnit, commandId: string, made: Made): Promise<Agreement> {
  const { db } = unit
  const { report, at } = made
  const result = { agreementId: report.id }
  const unsettled = await findUnsettled(db, commandId, result)
  const state = await findAddressed(db, report, made)
  if (state === null) throw new StoreConflictError(`The agreement ${report.id} belongs to another command.`)
  const known = asKnown(state)
  if (unsettled === null && known !== null) return known
  const { agreement, confirm } = await recordCreation(unit, state, made)
  if (confirm) await planAgreementReadBy(db, agreement.id, at)
  await markSettled(db, commandId, result)
  return agreement
}

async function recordCreation(
  unit: WriteUnit,
  state: Agreement | AgreementBirth,
  { report, at }: Made,
): Promise<{ agreement: Agreement; confirm: boolean }> {
  const known = asKnown(state)
  const { change, provisional: doubt, confirm } = decideAgreementCreation(known, report)
  const provisional = doubt ?? known?.provisional ?? false
  const payer = await missingOf(unit.db, report)
  if (change !== null) {
    const recorded = { source: 'COMMAND', payer, provisional, at, deliveryId: null } as const
    const { agreement } = await changeAgreement(unit, state, change, recorded)
    return { agreement, confirm }
  }
  if (known === null) throw new Error('What creates an agreement must change something.')
  const agreement = { ...known, provisional }
  await saveAgreement(unit.db, agreement)
  await saveAgreementPayer(unit.db, agreement.id, payer)
  return { agreement, confirm }
}

/** What callbacks have told of the payer stays. */
async function missingOf(db: Db, { id, payer: said }: AgreementReport): Promise<AgreementPayer> {
  const known = (await agreementPayersOf(db, [id])).get(id)
  return {
    name: known?.name == null ? said.name : null,
    bsb: known?.bsb == null ? said.bsb : null,
    accountNumberMasked: known?.accountNumberMasked == null ? said.accountNumberMasked : null,
    payIdMasked: known?.payIdMasked == null ? said.payIdMasked : null,
    payIdType: known?.payIdType == null ? said.payIdType : null,
  }
}

type Told = { readonly agreementId: string; readonly report: AgreementReport; readonly at: Date }

/**
 * Ends a command that amended an agreement or changed its status, with what its answer shows as an event of our own. An
 * answer that tells nothing, or that a callback has overtaken, has the agreement read now. A second time for the same
 * agreement changes nothing. Throws `StoreConflictError` for a command that ended otherwise, and for an agreement that is
 * not on record.
 */
export async function settleWithAgreementChange(unit: WriteUnit, commandId: string, told: Told): Promise<Agreement> {
  const { db } = unit
  const { agreementId, report, at } = told
  const command = await findUnsettled(db, commandId, { agreementId })
  const subject = await findAgreementSubject(db, agreementId)
  if (subject === null) throw new StoreConflictError('The agreement that was changed is not on record.')
  const { agreement: state } = subject
  if (command === null) return state
  // Counted, not told by instants: clocks of nodes differ.
  const overtaken = subject.deliveries !== command.subjectDeliveries
  const applied = await applyAgreementAnswer(unit, state, { source: 'COMMAND', report, at, overtaken })
  if (applied === null || overtaken) await planAgreementReadBy(db, agreementId, at)
  await markSettled(db, commandId, { agreementId })
  return applied?.agreement ?? state
}
