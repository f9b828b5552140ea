import { hasBecomePaid } from '../../domain/orphan-link.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import { decideWebhook, withRequestedAmount } from '../../domain/payment.ts'
import type { DeliveryOutcome, IncomingDelivery } from '../store.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { birthOf } from './birth.ts'
import { changePayment, joinLink, tellLink } from './change-payment.ts'
import { countDelivery } from './count-delivery.ts'
import {
  countAttempt,
  type DeliveryRow,
  findDelivery,
  newRow,
  quarantine,
  type StoredDelivery,
  type Subject,
} from './deliveries.ts'
import { type Addressee, findAddressee } from './find-addressee.ts'
import { findOrphan } from './orphan-links.ts'
import { findPayment, savePayment } from './payment-records.ts'

/** Stores a webhook and applies what it says; the same bytes again only count an attempt, and may ask for a read. */
export async function receiveDelivery(unit: WriteUnit, delivery: IncomingDelivery): Promise<DeliveryOutcome> {
  const before = await findDelivery(unit.db, delivery.bodyHashes)
  if (before !== null) return receiveAgain(unit.db, delivery, before)
  const { report, ref } = delivery
  const addressee = report === null ? null : await findAddressee(unit.db, report, ref)
  if (addressee === null) return quarantine(unit.db, delivery, subjectOf(report))
  return applyDelivery(unit, addressee, newRow(unit.db, delivery), delivery.receivedAt)
}

function subjectOf(report: PaymentReport | null): Subject {
  return report === null ? null : { id: report.paymentId, statusRaw: report.statusRaw }
}

async function receiveAgain(db: Db, delivery: IncomingDelivery, stored: StoredDelivery): Promise<DeliveryOutcome> {
  await countAttempt(db, stored, delivery.receivedAt)
  const readDue = stored.disposition !== 'QUARANTINED' && (await doubtRepeat(db, delivery))
  return { disposition: stored.disposition, repeat: true, readDue }
}

/** True when the repeat asks for a read of the payment. */
async function doubtRepeat(db: Db, { report, receivedAt }: IncomingDelivery): Promise<boolean> {
  const payment = report === null ? null : await findPayment(db, report.paymentId)
  if (report === null || payment === null) return false
  const { provisional, confirm } = decideWebhook(payment, report, true)
  if (provisional !== null && provisional !== payment.provisional) await savePayment(db, { ...payment, provisional })
  if (confirm) await countDelivery(db, payment, { confirm, at: receivedAt })
  return confirm
}

/** Decides what a delivery means for the payment as it is now, and writes down what became of it. */
export async function applyDelivery(
  unit: WriteUnit,
  { report: said, payment, link, linkRef }: Addressee,
  row: DeliveryRow,
  at: Date,
): Promise<DeliveryOutcome> {
  const { db } = unit
  const state = payment === null ? null : joinLink(payment, linkRef, link)
  const report = state === null ? withRequestedAmount(said, link?.requestedAmount ?? null) : said
  const { disposition, change, provisional: doubt, confirm } = decideWebhook(state, report, false)
  const provisional = doubt ?? state?.provisional ?? false

  let after = state
  let eventId: string | null = null
  if (change !== null) {
    const before = state ?? birthOf(report.paymentId, linkRef)
    const changed = await changePayment(unit, before, change, {
      source: 'WEBHOOK',
      report,
      link,
      provisional,
      at,
      deliveryId: row.id,
    })
    after = changed.payment
    eventId = changed.eventId
  } else if (state !== null) {
    after = { ...state, provisional }
    await savePayment(db, after, { namedLinkId: report.linkId, site: link?.site ?? null })
  }
  await row.save(subjectOf(report), { disposition, eventId })
  if (after !== null) {
    const toldAnew = change !== null || payment?.linkRef !== after.linkRef
    if (link !== null && toldAnew) await tellLink(db, link, after)
    await countDelivery(db, after, { confirm, at })
  }
  const paid = after !== null && hasBecomePaid(payment, after)
  const orphan = paid && link === null && linkRef !== null ? await findOrphan(db, linkRef, at) : null
  return { disposition, repeat: false, readDue: confirm, ...(orphan === null ? {} : { orphan }) }
}
