import { belongsTogether } from '../../domain/attribution.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import { decideRead, type Payment, withRequestedAmount } from '../../domain/payment.ts'
import type { WriteUnit } from '../unit.ts'
import { birthOf } from './birth.ts'
import { changePayment, joinLink, tellLink } from './change-payment.ts'
import { confirmPayment, savePayer, savePayment } from './payment-records.ts'

/** What the service said when it was asked: in a read, or in the answer to a command. */
export type Answer = {
  readonly source: 'READ' | 'COMMAND'
  readonly report: PaymentReport
  readonly at: Date
}

/**
 * Applies an answer to the payment that it is about, and lets that payment tell its link's state. Null when the answer
 * tells nothing: it is somebody else's, or leads from paid back to unpaid.
 */
export async function applyAnswer(
  unit: WriteUnit,
  { state: known, link }: { state: Payment | null; link: PaymentLink | null },
  { source, report: said, at }: Answer,
): Promise<{ payment: Payment; changed: boolean } | null> {
  const { db } = unit
  const ref = link?.ref ?? null
  if (!belongsTogether(said, { ref, link }, known)) return null
  const state = known === null ? null : joinLink(known, ref, link)
  const report = state === null ? withRequestedAmount(said, link?.requestedAmount ?? null) : said
  const { disposition, change, provisional: doubt } = decideRead(state, report)
  if (disposition === 'STALE') return null

  const provisional = doubt ?? false
  let payment: Payment
  if (change !== null) {
    const before = state ?? birthOf(report.paymentId, ref)
    const recorded = { source, report, link, provisional, at, deliveryId: null }
    payment = (await changePayment(unit, before, change, recorded)).payment
  } else if (state !== null) {
    payment = { ...state, provisional }
    await savePayment(db, payment, { namedLinkId: report.linkId, site: link?.site ?? null })
    await savePayer(db, payment.id, report.payer)
  } else return null
  if (link !== null) await tellLink(db, link, payment)
  await confirmPayment(db, payment.id, at)
  return { payment, changed: change !== null }
}
