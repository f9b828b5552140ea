import { attributeRead, readOfUnusedLink } from '../../domain/attribution.ts'
import { confirmsListed } from '../../domain/listed-payment.ts'
import type { PaymentReport } from '../../domain/payment-report.ts'
import type { ListedOutcome, ReadSubject } from '../read-store.ts'
import type { WriteUnit } from '../unit.ts'
import { planReadBy } from './plan-read.ts'
import type { Subject } from './read-subjects.ts'
import { recordRead, takeAgain } from './record-read.ts'

/**
 * Records what an entry of a list shows of a subject. One that says what is known already counts as a read. One that says
 * anything else has the subject read by itself now: a list may tell less than the detail does.
 */
export async function confirmListed(
  unit: WriteUnit,
  asked: ReadSubject,
  { report, at }: { report: PaymentReport; at: Date },
): Promise<ListedOutcome> {
  const subject = await takeAgain(unit.db, asked)
  if (subject === null || subject.deliveries !== asked.deliveries) return 'superseded'
  const attributed = attributeRead({ paymentId: asked.paymentId, link: subject.link }, report)
  if (attributed === null) return 'superseded'
  if (tellsEnough(subject, attributed)) {
    const outcome = await recordRead(unit, asked, { report, at })
    return outcome === 'changed' || outcome === 'confirmed' ? outcome : 'superseded'
  }
  await planReadBy(unit.db, subject, { at: at.getTime(), readClass: 'doubt' })
  return 'differs'
}

function tellsEnough({ payment, link }: Subject, report: PaymentReport): boolean {
  if (payment !== null) return confirmsListed(payment, report)
  return link !== null && readOfUnusedLink(link, report) !== 'paid-through'
}
