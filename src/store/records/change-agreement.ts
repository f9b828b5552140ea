import type { AgreementPayer, AgreementReport } from '../../domain/agreement-report.ts'
import {
  type Agreement,
  type AgreementBirth,
  type AgreementChange,
  agreementStreamId,
  decideAgreementRead,
  evolveAgreement,
} from '../../domain/agreement.ts'
import type { EventSource } from '../../domain/payment-event.ts'
import { nextAgreementPoll } from '../../domain/read-schedule.ts'
import type { Db, WriteUnit } from '../unit.ts'
import {
  findAgreement,
  findAgreementByRefs,
  namesAnothersTransaction,
  saveAgreement,
  saveAgreementPayer,
} from './agreement-records.ts'
import { countCallback } from './agreement-subjects.ts'
import { appendEvent, reservePlace } from './append-event.ts'
import { refsOfSameCommand } from './refs.ts'

export type RecordedAgreementChange = {
  readonly source: EventSource
  readonly payer: AgreementPayer
  readonly provisional: boolean
  readonly at: Date
  readonly deliveryId: string | null
}

/** Appends the event of a change, writes the agreement and its payer as they are after it, and plans when it is read next. */
export async function changeAgreement(
  unit: WriteUnit,
  state: Agreement | AgreementBirth,
  change: AgreementChange,
  { source, payer, provisional, at, deliveryId }: RecordedAgreementChange,
): Promise<{ agreement: Agreement; eventId: string }> {
  const place = await reservePlace(unit.db, state.streamId)
  const recordedAt = at.toISOString()
  const agreement = evolveAgreement(state, change, { sequence: place.sequence, at: recordedAt, provisional })
  const eventId = await appendEvent(unit, place, {
    kind: change.kind,
    source,
    fromStatus: asKnown(state)?.statusRaw ?? null,
    toStatus: change.statusRaw,
    linkRef: null,
    payment: null,
    agreement,
    recordedAt,
    deliveryId,
  })
  const next = nextAgreementPoll(agreement, at.getTime(), unit.refundWindowMs)
  await saveAgreement(unit.db, agreement, { at: at.getTime(), next })
  await saveAgreementPayer(unit.db, agreement.id, payer)
  return { agreement, eventId }
}

/** The agreement, where more is known of it than its names. */
export function asKnown(state: Agreement | AgreementBirth): Agreement | null {
  return 'version' in state ? state : null
}

/**
 * The agreement that a report made under a correlator speaks of, or the names of a new one. Null when the report speaks
 * of an agreement that was made under another correlator, or the correlator is another agreement's.
 */
export async function findAddressed(
  db: Db,
  report: AgreementReport,
  { ref, site }: { ref: string; site: string },
): Promise<Agreement | AgreementBirth | null> {
  if (await namesAnothersTransaction(db, report)) return null
  const refs = await refsOfSameCommand(db, ref)
  const known = await findAgreement(db, report.id)
  if (known !== null) return refs.includes(known.ref) ? known : null
  if ((await findAgreementByRefs(db, refs)) !== null) return null
  return { id: report.id, ref, streamId: agreementStreamId(ref), site }
}

export type AgreementAnswer = {
  readonly source: 'READ' | 'COMMAND'
  readonly report: AgreementReport
  readonly at: Date
  /** Something newer may have been recorded already: what the answer changes is provisional. */
  readonly overtaken: boolean
}

/** Applies what the service answered about an agreement. Null when the answer tells nothing. */
export async function applyAgreementAnswer(
  unit: WriteUnit,
  state: Agreement,
  { source, report, at, overtaken }: AgreementAnswer,
): Promise<{ agreement: Agreement; changed: boolean } | null> {
  const { disposition, change } = decideAgreementRead(state, report)
  if (disposition === 'STALE' || (await namesAnothersTransaction(unit.db, report))) return null
  // An older answer that is still under way, to another process even, comes too late from now on.
  await countCallback(unit.db, state.id, { confirm: false, at })
  if (change !== null) {
    const recorded = { source, payer: report.payer, provisional: overtaken, at, deliveryId: null }
    const { agreement } = await changeAgreement(unit, state, change, recorded)
    return { agreement, changed: true }
  }
  const agreement = { ...state, provisional: overtaken && state.provisional }
  await saveAgreement(unit.db, agreement)
  await saveAgreementPayer(unit.db, agreement.id, report.payer)
  return { agreement, changed: false }
}
