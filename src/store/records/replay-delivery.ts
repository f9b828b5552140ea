import { type Delivery, replayableBody } from '../../domain/delivery.ts'
import type { DeliveryReplay, ReplayOutcome } from '../store.ts'
import type { Write, WriteUnit } from '../unit.ts'
import { findAgreement } from './agreement-records.ts'
import { planAgreementReadBy } from './agreement-subjects.ts'
import { asKnown } from './change-agreement.ts'
import { existingRow } from './deliveries.ts'
import { findAddressee } from './find-addressee.ts'
import { findDeliveries } from './inbox-records.ts'
import { findPayment } from './payment-records.ts'
import { planReadBy } from './plan-read.ts'
import { applyCallback, findCalledBack } from './receive-agreement.ts'
import { applyDelivery } from './receive-delivery.ts'
import { findRef } from './refs.ts'

/**
 * Decides a stored delivery anew, by the same code and in one transaction as when it came. Without `apply` the transaction
 * is undone, so that what is told is what would have happened, and nothing has.
 */
export async function replayDelivery(write: Write, replay: DeliveryReplay): Promise<ReplayOutcome> {
  try {
    return await write(async (unit) => {
      const outcome = await decideAnew(unit, replay)
      if (!replay.apply) throw new DryRun(outcome)
      return outcome
    })
  } catch (error) {
    if (error instanceof DryRun) return error.outcome
    throw error
  }
}

/** Thrown to undo a transaction whose outcome is all that was wanted. */
class DryRun extends Error {
  readonly outcome: ReplayOutcome

  constructor(outcome: ReplayOutcome) {
    super('A dry run is undone.')
    this.outcome = outcome
  }
}

async function decideAnew(unit: WriteUnit, replay: DeliveryReplay): Promise<ReplayOutcome> {
  const [delivery] = await findDeliveries(unit.db, [replay.id])
  if (delivery === undefined) return { kind: 'not-found' }
  const replayable = replayableBody(delivery)
  if ('refusal' in replayable) return { kind: 'not-replayable', reason: replayable.refusal }
  const address = delivery.ref === null ? null : await findRef(unit.db, delivery.ref)
  const stored = { delivery, body: replayable.body }
  return address?.kind === 'agreement' ? replayCallback(unit, stored, replay) : replayWebhook(unit, stored, replay)
}

type Stored = { readonly delivery: Delivery; readonly body: string }

async function replayWebhook(
  unit: WriteUnit,
  { delivery, body }: Stored,
  { at, parse }: DeliveryReplay,
): Promise<ReplayOutcome> {
  const { db } = unit
  const report = parse.payment(body)
  if (report === null) return { kind: 'not-replayable', reason: 'UNREADABLE' }
  const addressee = await findAddressee(db, report, delivery.ref)
  if (addressee === null) return { kind: 'not-replayable', reason: 'MISADDRESSED' }
  const { disposition, readDue: asked } = await applyDelivery(unit, addressee, existingRow(db, delivery.id), at)
  const payment = await findPayment(db, report.paymentId)
  const readDue = asked || needsRead(delivery, disposition)
  if (readDue && !asked) await planReadBy(db, { payment, link: null }, { at: at.getTime(), readClass: 'doubt' })
  return {
    kind: 'replayed',
    before: delivery.disposition,
    after: disposition,
    readDue,
    statusBefore: addressee.payment?.statusRaw ?? null,
    statusAfter: payment?.statusRaw ?? null,
  }
}

async function replayCallback(
  unit: WriteUnit,
  { delivery, body }: Stored,
  { at, parse }: DeliveryReplay,
): Promise<ReplayOutcome> {
  const { db } = unit
  const report = parse.agreement(body)
  if (report === null) return { kind: 'not-replayable', reason: 'UNREADABLE' }
  const state = await findCalledBack(db, report, delivery.ref ?? '')
  if (state === null) return { kind: 'not-replayable', reason: 'MISADDRESSED' }
  const { disposition, readDue: asked } = await applyCallback(unit, { report, state }, existingRow(db, delivery.id), at)
  const readDue = asked || needsRead(delivery, disposition)
  if (readDue && !asked) await planAgreementReadBy(db, state.id, at)
  return {
    kind: 'replayed',
    before: delivery.disposition,
    after: disposition,
    readDue,
    statusBefore: asKnown(state)?.statusRaw ?? null,
    statusAfter: (await findAgreement(db, state.id))?.statusRaw ?? null,
  }
}

/** A replay is no arrival: what it changes is old, and was kept in part only. What was in doubt is to be settled. */
function needsRead({ disposition: before }: Delivery, after: Delivery['disposition']): boolean {
  return before === 'DOUBTFUL' || after === 'APPLIED'
}
