import { belongsTogether } from '../../domain/attribution.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import type { Payment } from '../../domain/payment.ts'
import type { Db } from '../unit.ts'
import { findLink } from './link-records.ts'
import { findPayin } from './payin-records.ts'
import { findPayment } from './payment-records.ts'
import { findRef, sameCommand } from './refs.ts'

/** What a webhook speaks about, as far as it is known. */
export type Addressee = {
  readonly payment: Payment | null
  readonly link: PaymentLink | null
  /** The correlator of the link, which a webhook may know before the link is on record. */
  readonly linkRef: string | null
  readonly report: PaymentReport
}

/**
 * Finds what a webhook speaks about. Null when its address belongs to something else than its body names: somebody's
 * mistake, which is set aside.
 */
export async function findAddressee(db: Db, report: PaymentReport, ref: string | null): Promise<Addressee | null> {
  const payment = await findPayment(db, report.paymentId)
  const kind = ref === null ? null : ((await findRef(db, ref))?.kind ?? null)
  if (kind === 'agreement') return null
  if (ref !== null && kind === 'payin')
    return (await isPayinsOwn(db, ref, payment, report)) ? direct(payment, report) : null
  const payin = payment === null ? null : await findPayin(db, { paymentId: payment.id })
  if (payin !== null) return ref === null ? direct(payment, report) : null

  const linkRef = ref ?? payment?.linkRef ?? null
  const link = await findLink(db, linkRef === null ? { id: report.linkId ?? report.paymentId } : { ref: linkRef })
  if (!belongsTogether(report, { ref, link }, payment)) return null
  return { payment, link, linkRef: linkRef ?? link?.ref ?? null, report }
}

/** A payment without a link: whatever link its body may name is none of it. */
function direct(payment: Payment | null, report: PaymentReport): Addressee {
  return { payment, link: null, linkRef: null, report: { ...report, linkId: null } }
}

/** Once a payin is settled its address is for its own payment alone, and its payment for the addresses of its own attempts. */
async function isPayinsOwn(db: Db, ref: string, payment: Payment | null, report: PaymentReport): Promise<boolean> {
  if (payment !== null && payment.linkRef !== null) return false
  const expected = await findPayin(db, { ref })
  if (expected !== null) return expected.paymentId === report.paymentId
  const known = await findPayin(db, { paymentId: report.paymentId })
  return known === null || sameCommand(db, ref, known.ref)
}
