import { randomUUID } from 'node:crypto'
import { belongsTogether } from '../../domain/attribution.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import { decideWebhook, type Disposition, type Payment, withRequestedAmount } from '../../domain/payment.ts'
import type { DeliveryOutcome, IncomingDelivery } from '../store.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { birthOf } from './birth.ts'
import { changePayment, joinLink, tellLink } from './change-payment.ts'
import { findLink } from './link-records.ts'
import { findPayment, savePayment } from './payment-records.ts'
import { countDelivery } from './count-delivery.ts'

/** Stores a webhook and applies what it says; the same bytes again only count an attempt, and may ask for a read. */
export async function receiveDelivery(unit: WriteUnit, delivery: IncomingDelivery): Promise<DeliveryOutcome> {
  const before = await findDelivery(unit.db, delivery.bodyHashes)
  if (before !== null) return receiveAgain(unit.db, delivery, before)
  const { report } = delivery
  if (report === null) return quarantine(unit.db, delivery)
  const subject = await findSubject(unit.db, report, delivery.ref)
  const fits = belongsTogether(report, { ref: delivery.ref, link: subject.link }, subject.payment)
  return fits ? apply(unit, delivery, report, subject) : quarantine(unit.db, delivery)
}

type StoredDelivery = { readonly id: string; readonly disposition: Disposition }

/** What a webhook speaks about, as far as it is known. */
type Subject = {
  readonly payment: Payment | null
  readonly link: PaymentLink | null
  /** The correlator of the link, which a webhook may know before the link is on record. */
  readonly linkRef: string | null
}

async function findDelivery(db: Db, hashes: readonly string[]): Promise<StoredDelivery | null> {
  const row = await db
    .selectFrom('deliveries')
    .select(['id', 'disposition'])
    .where('body_hash', 'in', [...hashes])
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

async function receiveAgain(db: Db, delivery: IncomingDelivery, stored: StoredDelivery): Promise<DeliveryOutcome> {
  await db
    .updateTable('deliveries')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), last_received_at: delivery.receivedAt.getTime() }))
    .where('id', '=', stored.id)
    .execute()
  const readDue = stored.disposition !== 'QUARANTINED' && (await doubtRepeat(db, delivery))
  return { disposition: stored.disposition, repeat: true, readDue }
}

/** True when the repeat asks for a read of the payment. */
async function doubtRepeat(db: Db, { report, receivedAt }: IncomingDelivery): Promise<boolean> {
  const payment = report === null ? null : await findPayment(db, report.paymentId)
  if (report === null || payment === null) return false
  const { provisional, confirm } = decideWebhook(payment, report, true)
  if (provisional !== null && provisional !== payment.provisional)
    await savePayment(db, { ...payment, provisional }, report.linkId)
  if (confirm) await countDelivery(db, payment, { confirm, at: receivedAt })
  return confirm
}

async function quarantine(db: Db, delivery: IncomingDelivery): Promise<DeliveryOutcome> {
  await storeDelivery(db, delivery, { id: randomUUID(), disposition: 'QUARANTINED', eventId: null })
  return { disposition: 'QUARANTINED', repeat: false, readDue: false }
}

async function findSubject(db: Db, report: PaymentReport, ref: string | null): Promise<Subject> {
  const payment = await findPayment(db, report.paymentId)
  const knownRef = ref ?? payment?.linkRef ?? null
  const link = await findLink(db, knownRef === null ? { id: report.linkId ?? report.paymentId } : { ref: knownRef })
  return { payment, link, linkRef: knownRef ?? link?.ref ?? null }
}

async function apply(
  unit: WriteUnit,
  delivery: IncomingDelivery,
  said: PaymentReport,
  { payment, link, linkRef }: Subject,
): Promise<DeliveryOutcome> {
  const { db } = unit
  const at = delivery.receivedAt
  const state = payment === null ? null : joinLink(payment, linkRef, link)
  const report = state === null ? withRequestedAmount(said, link?.requestedAmount ?? null) : said
  const { disposition, change, provisional: doubt, confirm } = decideWebhook(state, report, false)
  const provisional = doubt ?? state?.provisional ?? false
  const deliveryId = randomUUID()

  let after = state
  let eventId: string | null = null
  if (change !== null) {
    const before = state ?? birthOf(report.paymentId, linkRef)
    const changed = await changePayment(unit, before, change, {
      source: 'WEBHOOK',
      report,
      provisional,
      at,
      deliveryId,
    })
    after = changed.payment
    eventId = changed.eventId
  } else if (state !== null) {
    after = { ...state, provisional }
    await savePayment(db, after, report.linkId)
  }
  await storeDelivery(db, delivery, { id: deliveryId, disposition, eventId })
  if (after !== null) {
    const toldAnew = change !== null || payment?.linkRef !== after.linkRef
    if (link !== null && toldAnew) await tellLink(db, link, after)
    await countDelivery(db, after, { confirm, at })
  }
  return { disposition, repeat: false, readDue: confirm }
}

async function storeDelivery(
  db: Db,
  delivery: IncomingDelivery,
  result: StoredDelivery & { readonly eventId: string | null },
): Promise<void> {
  const receivedAt = delivery.receivedAt.getTime()
  await db
    .insertInto('deliveries')
    .values({
      id: result.id,
      body_hash: delivery.bodyHashes[0],
      ref: delivery.ref,
      subject_id: delivery.report?.paymentId ?? null,
      status_raw: delivery.report?.statusRaw ?? null,
      disposition: result.disposition,
      attempts: 1,
      first_received_at: receivedAt,
      last_received_at: receivedAt,
      event_id: result.eventId,
      body: delivery.body,
    })
    .execute()
}
