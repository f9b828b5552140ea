import type { DirectPayin } from '../../domain/direct-payin.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { Payment } from '../../domain/payment.ts'
import type { ReadSubject } from '../read-store.ts'
import type { Db } from '../unit.ts'
import { toLink, toLinkOrNull } from './link-records.ts'
import { findPayin, payinsOf } from './payin-records.ts'
import { toPayment } from './payment-records.ts'

/** A payment with its link, or a link through which no payment is known, as a read finds it. */
export type Subject = {
  readonly payment: Payment | null
  readonly link: PaymentLink | null
  /** What was asked for, of a payment without a link. */
  readonly payin: DirectPayin | null
  readonly deliveries: number
  readonly failures: number
  /** Milliseconds since the epoch; null while no read is planned. */
  readonly dueAt: number | null
}

/** What a subject tells those who make the read. */
export function toReadSubject({ payment, link, payin, deliveries, failures, dueAt }: Subject): ReadSubject {
  return {
    paymentId: payment?.id ?? null,
    link,
    payin,
    currency: payment?.details.currency ?? (link ?? payin)?.requestedAmount.currency ?? null,
    deliveries,
    failures,
    dueAt: dueAt === null ? null : new Date(dueAt),
  }
}

/** The subject with this payment id. */
export async function findPaymentSubject(db: Db, paymentId: string): Promise<Subject | null> {
  const row = await paymentSubjects(db).where('payments.id', '=', paymentId).executeTakeFirst()
  return row === undefined ? null : toPaymentSubject(row, await findPayin(db, { paymentId }))
}

/** The link with this upstream uuid, whether or not a payment is known. */
export async function findLinkSubject(db: Db, linkId: string): Promise<Subject | null> {
  const row = await db.selectFrom('links').selectAll().where('id', '=', linkId).executeTakeFirst()
  return row === undefined ? null : toLinkSubject(row)
}

/** A place in the line of what is due: payments stand before links of the same instant, and either by their ids. */
type Place = { readonly dueAt: number; readonly paymentId: string | null; readonly linkId: string }

/** Where a subject stands that was due when it was read. */
export function placeOf({ dueAt, paymentId, link }: ReadSubject): Place {
  return { dueAt: dueAt?.getTime() ?? 0, paymentId, linkId: link?.id ?? '' }
}

type Line = { readonly by: number; readonly limit: number; readonly after: Place | null }

/** The subjects whose read is due by an instant (milliseconds since the epoch), longest due first. */
export async function dueSubjects(db: Db, { by, limit, after }: Line): Promise<Subject[]> {
  let paymentsDue = paymentSubjects(db).where('payments.read_due_at', '<=', by)
  let linksDue = db.selectFrom('links').selectAll().where('read_due_at', '<=', by)
  if (after !== null) {
    const { dueAt, paymentId, linkId } = after
    paymentsDue =
      paymentId === null
        ? paymentsDue.where('payments.read_due_at', '>', dueAt)
        : paymentsDue
            .where('payments.read_due_at', '>=', dueAt)
            .where((eb) => eb.or([eb('payments.read_due_at', '>', dueAt), eb('payments.id', '>', paymentId)]))
    linksDue = linksDue.where('read_due_at', '>=', dueAt)
    if (paymentId === null)
      linksDue = linksDue.where((eb) => eb.or([eb('read_due_at', '>', dueAt), eb('id', '>', linkId)]))
  }
  const payments = await paymentsDue.orderBy('payments.read_due_at').orderBy('payments.id').limit(limit).execute()
  const links = await linksDue.orderBy('read_due_at').orderBy('id').limit(limit).execute()
  const payins = await payinsOf(
    db,
    payments.map(({ payment_id_asked: id }) => id),
  )
  const payinOf = new Map(payins.map((payin) => [payin.paymentId, payin]))
  const subjects = payments.map((row) => toPaymentSubject(row, payinOf.get(row.payment_id_asked) ?? null))
  // The sort is stable: of the same instant payments come first, as `Place` has it.
  return [...subjects, ...links.map(toLinkSubject)].sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).slice(0, limit)
}

function paymentSubjects(db: Db) {
  return db
    .selectFrom('payments')
    .leftJoin('links', 'links.ref', 'payments.link_ref')
    .selectAll('links')
    .select([
      'payments.id as payment_id_asked',
      'payments.state_json',
      'payments.deliveries as payment_deliveries',
      'payments.read_failures as payment_failures',
      'payments.read_due_at as payment_due_at',
    ])
}

type PaymentSubjectRow = Awaited<ReturnType<ReturnType<typeof paymentSubjects>['executeTakeFirstOrThrow']>>

/** Both counts only grow, so their sum stays the same only while both do. */
function toPaymentSubject(row: PaymentSubjectRow, payin: DirectPayin | null): Subject {
  return {
    payment: toPayment(row.state_json),
    link: toLinkOrNull(row),
    payin,
    deliveries: row.payment_deliveries + (row.deliveries ?? 0),
    failures: row.payment_failures,
    dueAt: row.payment_due_at,
  }
}

function toLinkSubject(row: Parameters<typeof toLink>[0]): Subject {
  return {
    payment: null,
    link: toLink(row),
    payin: null,
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at,
  }
}
