import type { Money } from '../../domain/money.ts'
import type { EventSource } from '../../domain/payment-event.ts'
import { type PaymentLink, speaksForLink } from '../../domain/payment-link.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import { type Birth, evolve, type Payment, type PaymentChange, withRequestedAmount } from '../../domain/payment.ts'
import { nextPoll } from '../../domain/read-schedule.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { appendEvent, reservePlace } from './append-event.ts'
import { fromIso } from './instants.ts'
import { findPayment, savePayment, savePayer } from './payment-records.ts'
import type { Poll } from './plan-read.ts'

export type RecordedChange = {
  readonly source: EventSource
  readonly report: PaymentReport
  /** The link that it came through, where that is on record. */
  readonly link: PaymentLink | null
  readonly provisional: boolean
  readonly at: Date
  readonly deliveryId: string | null
}

/** Appends the event of a change, writes the payment and its payer as they are after it, and plans when it is read next. */
export async function changePayment(
  unit: WriteUnit,
  state: Payment | Birth,
  change: PaymentChange,
  { source, report, link, provisional, at, deliveryId }: RecordedChange,
): Promise<{ payment: Payment; eventId: string }> {
  const place = await reservePlace(unit.db, state.streamId)
  const recordedAt = at.toISOString()
  const payment = evolve(state, change, { sequence: place.sequence, at: recordedAt, provisional })
  const eventId = await appendEvent(unit, place, {
    kind: change.kind,
    source,
    fromStatus: 'version' in state ? state.statusRaw : null,
    toStatus: change.statusRaw,
    linkRef: payment.linkRef,
    payment,
    agreement: null,
    recordedAt,
    deliveryId,
  })
  const plan = pollOf(unit, payment, { link, at: at.getTime() })
  await savePayment(unit.db, payment, { namedLinkId: report.linkId, site: link?.site ?? null, plan })
  await savePayer(unit.db, payment.id, report.payer)
  return { payment, eventId }
}

/**
 * When a payment is read next although nothing asks for it. `at` in milliseconds since the epoch; `lateMs` is how late the
 * read is that has just been made.
 */
export function pollOf(
  { refundWindowMs: windowMs }: Pick<WriteUnit, 'refundWindowMs'>,
  payment: Payment,
  { link, at, lateMs = 0 }: { link: PaymentLink | null; at: number; lateMs?: number },
): Poll {
  const linkExpiresAt = link === null ? null : fromIso(link.expiresAt)
  return { at, next: nextPoll(payment, at, { linkExpiresAt, windowMs, lateMs }) }
}

/**
 * A payment as it is once its link is known: under the link's correlator, with the amount that the link was made for
 * where the service has not said any. One that belongs to a link already stays with it.
 */
export function joinLink(payment: Payment, linkRef: string | null, link: PaymentLink | null): Payment {
  if (linkRef === null || (payment.linkRef !== null && payment.linkRef !== linkRef)) return payment
  return asRequested({ ...payment, linkRef }, link?.requestedAmount ?? null)
}

/** A payment with the amount that was asked for where the service has not said any. */
export function asRequested(payment: Payment, requested: Money | null): Payment {
  const { id, statusRaw, status, details } = payment
  const asReport = { paymentId: id, linkId: null, statusRaw, status, details, payer: { name: null, email: null } }
  return { ...payment, details: withRequestedAmount(asReport, requested).details }
}

/** Lets a payment tell its link's state, where it is the one to do so. A link with a payment needs no read of its own. */
export async function tellLink(db: Db, link: PaymentLink, payment: Payment): Promise<void> {
  const other = link.paymentId !== null && link.paymentId !== payment.id ? await findPayment(db, link.paymentId) : null
  if (!speaksForLink(payment, other)) return
  await db
    .updateTable('links')
    .set({ payment_id: payment.id, payment_phase: payment.phase, read_due_at: null, read_failures: 0 })
    .where('ref', '=', link.ref)
    .execute()
}
