import { attributeRead, readOfUnusedLink } from '../../domain/attribution.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import type { Payment } from '../../domain/payment.ts'
import { readAfterUntouched, readAgain } from '../../domain/read-schedule.ts'
import type { ReadOutcome, ReadSubject } from '../store.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { appendEvent, reservePlace } from './append-event.ts'
import { applyAnswer } from './apply-answer.ts'
import { pollOf } from './change-payment.ts'
import { fromIso } from './instants.ts'
import { findPayment } from './payment-records.ts'
import { planRead, planRetry } from './plan-read.ts'
import { findLinkSubject, findPaymentSubject, type Subject } from './read-subjects.ts'

type Answer = { readonly report: PaymentReport; readonly at: Date }

/**
 * Records what a read showed, unless a delivery was stored since the subject was taken. An answer that tells nothing of
 * the subject (it is another payment's, or leads from paid back to unpaid) changes nothing, and is asked for again later.
 */
export async function recordRead(unit: WriteUnit, asked: ReadSubject, answer: Answer): Promise<ReadOutcome> {
  const subject = await takeAgain(unit.db, asked)
  if (subject === null || subject.deliveries !== asked.deliveries) return 'superseded'
  const report = attributeRead({ paymentId: asked.paymentId, link: subject.link }, answer.report)
  if (report === null) return learnNothing(unit.db, subject, answer.at)
  const { payment, link } = subject
  if (payment !== null) return recordPayment(unit, subject, { ...answer, report })
  return link === null ? 'superseded' : recordLink(unit, subject, link, { ...answer, report })
}

/** The subject as it is now; null when it is gone, as is a link without a payment once one is known. */
export async function takeAgain(db: Db, { paymentId, link }: ReadSubject): Promise<Subject | null> {
  if (paymentId !== null) return findPaymentSubject(db, paymentId)
  const subject = link === null ? null : await findLinkSubject(db, link.id)
  return subject?.link?.paymentId === null ? subject : null
}

async function learnNothing(db: Db, subject: Subject, at: Date): Promise<ReadOutcome> {
  await planRetry(db, subject, { dueAt: readAgain(at.getTime(), subject.failures), failures: subject.failures + 1 })
  return 'fruitless'
}

/** The answer may be about another payment through the same link: that one is recorded, and the one asked for stays due. */
async function recordPayment(unit: WriteUnit, subject: Subject, { report, at }: Answer): Promise<ReadOutcome> {
  const { payment, link } = subject
  const answered = payment?.id === report.paymentId ? payment : await findPayment(unit.db, report.paymentId)
  const outcome = await applyRead(unit, { state: answered, link, dueAt: subject.dueAt }, { report, at })
  if (outcome === null || answered === null || answered.id !== payment?.id) {
    await learnNothing(unit.db, subject, at)
  }
  return outcome ?? 'fruitless'
}

async function recordLink(
  unit: WriteUnit,
  subject: Subject,
  link: PaymentLink,
  { report, at }: Answer,
): Promise<ReadOutcome> {
  const verdict = readOfUnusedLink(link, report)
  if (verdict === 'untouched') {
    const dueAt = readAfterUntouched(fromIso(link.expiresAt), at.getTime(), unit.refundWindowMs)
    await planRead(unit.db, subject, { next: dueAt === null ? null : { at: dueAt, readClass: 'expiry' }, failures: 0 })
    await confirmLink(unit.db, link, at)
    return 'confirmed'
  }
  if (verdict === 'expired') return expireLink(unit, link, at)
  const state = await findPayment(unit.db, report.paymentId)
  return (await applyRead(unit, { state, link, dueAt: null }, { report, at })) ?? learnNothing(unit.db, subject, at)
}

async function confirmLink(db: Db, { id }: PaymentLink, at: Date): Promise<void> {
  await db.updateTable('links').set({ confirmed_at: at.getTime() }).where('id', '=', id).execute()
}

async function expireLink(unit: WriteUnit, link: PaymentLink, at: Date): Promise<ReadOutcome> {
  await unit.db
    .updateTable('links')
    .set({ expired: 1, confirmed_at: at.getTime(), read_due_at: null, read_failures: 0 })
    .where('id', '=', link.id)
    .execute()
  if (link.expired) return 'confirmed'
  await appendEvent(unit, await reservePlace(unit.db, link.streamId), {
    kind: 'LINK_EXPIRED',
    source: 'READ',
    fromStatus: null,
    toStatus: null,
    linkRef: link.ref,
    payment: null,
    agreement: null,
    recordedAt: at.toISOString(),
    deliveryId: null,
  })
  return 'changed'
}

/** Applies an answer to the payment that it is about, and plans when that payment is read next. Null when the answer tells nothing. */
async function applyRead(
  unit: WriteUnit,
  known: { state: Payment | null; link: PaymentLink | null; dueAt: number | null },
  answer: Answer,
): Promise<ReadOutcome | null> {
  const applied = await applyAnswer(unit, known, { ...answer, source: 'READ' })
  if (applied === null) return null
  const at = answer.at.getTime()
  const lateMs = known.dueAt === null ? 0 : Math.max(0, at - known.dueAt)
  const { next } = pollOf(unit, applied.payment, { link: known.link, at, lateMs })
  await planRead(unit.db, { payment: applied.payment, link: known.link }, { next, failures: 0 })
  return applied.changed ? 'changed' : 'confirmed'
}
