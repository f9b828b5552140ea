import type { AgreementReport } from '../../domain/agreement-report.ts'
import { type Agreement, type AgreementBirth, decideAgreementCallback } from '../../domain/agreement.ts'
import type { DeliveryOutcome, IncomingCallback } from '../store.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { findAgreement, saveAgreement } from './agreement-records.ts'
import { countCallback } from './agreement-subjects.ts'
import { asKnown, changeAgreement, findAddressed } from './change-agreement.ts'
import { findCommand } from './command-records.ts'
import { countAttempt, type DeliveryRow, findDelivery, newRow, quarantine, type StoredDelivery } from './deliveries.ts'
import { findRef } from './refs.ts'

/** Stores a callback and applies what it says; the same bytes again only count an attempt, and may ask for a read. */
export async function receiveAgreement(unit: WriteUnit, callback: IncomingCallback): Promise<DeliveryOutcome> {
  const { db } = unit
  const { report } = callback
  const before = await findDelivery(db, callback.bodyHashes)
  if (before !== null) return receiveAgain(db, callback, before)
  if (report === null) return quarantine(db, callback, null)
  const state = await findCalledBack(db, report, callback.ref)
  if (state === null) return quarantine(db, callback, report)
  return applyCallback(unit, { report, state }, newRow(db, callback), callback.receivedAt)
}

/** What a callback speaks about. Null when the address belongs to something else than the body names. */
export async function findCalledBack(
  db: Db,
  report: AgreementReport,
  ref: string,
): Promise<Agreement | AgreementBirth | null> {
  const attempt = await findRef(db, ref)
  if (attempt?.kind !== 'agreement' || attempt.site === null) return null
  // An agreement's clientTransactionId is the key of the command that asks for it.
  const asked = (await findCommand(db, { id: attempt.commandId }))?.key ?? null
  const named = report.clientTransactionId
  if (asked !== null && named !== null && asked !== named) return null
  return findAddressed(db, report, { ref, site: attempt.site })
}

async function receiveAgain(db: Db, callback: IncomingCallback, stored: StoredDelivery): Promise<DeliveryOutcome> {
  await countAttempt(db, stored, callback.receivedAt)
  const readDue = stored.disposition !== 'QUARANTINED' && (await doubtRepeat(db, callback))
  return { disposition: stored.disposition, repeat: true, readDue }
}

/** True when the repeat asks for a read of the agreement. */
async function doubtRepeat(db: Db, { report, receivedAt }: IncomingCallback): Promise<boolean> {
  const agreement = report === null ? null : await findAgreement(db, report.id)
  if (report === null || agreement === null) return false
  const { provisional, confirm } = decideAgreementCallback(agreement, report, true)
  if (provisional !== null && provisional !== agreement.provisional)
    await saveAgreement(db, { ...agreement, provisional })
  if (confirm) await countCallback(db, agreement.id, { confirm, at: receivedAt })
  return confirm
}

/** Decides what a callback means for the agreement as it is now, and writes down what became of it. */
export async function applyCallback(
  unit: WriteUnit,
  { report, state }: { report: AgreementReport; state: Agreement | AgreementBirth },
  row: DeliveryRow,
  at: Date,
): Promise<DeliveryOutcome> {
  const { db } = unit
  const known = asKnown(state)
  const { disposition, change, provisional: doubt, confirm } = decideAgreementCallback(known, report, false)
  const provisional = doubt ?? known?.provisional ?? false

  let eventId: string | null = null
  if (change !== null) {
    const recorded = { source: 'WEBHOOK', payer: report.payer, provisional, at, deliveryId: row.id } as const
    eventId = (await changeAgreement(unit, state, change, recorded)).eventId
  } else if (known !== null && known.provisional !== provisional) {
    await saveAgreement(db, { ...known, provisional })
  }
  await row.save(report, { disposition, eventId })
  await countCallback(db, state.id, { confirm, at })
  return { disposition, repeat: false, readDue: confirm }
}
