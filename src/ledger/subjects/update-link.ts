import { fellBehind, type PaymentLink, speaksForLink } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { fromIso } from '../../store/rows/table.ts'
import { findPayment } from './subject.ts'

/**
 * Records which payment determines the state of a link after one of them has changed; `before` is its state before. The link then needs no read of
 * its own.
 */
export function updateLink(rows: Rows, ref: string, payment: Payment, before: Payment | null = null): void {
  const row = rows.links.first('ref', ref)
  if (row === null) return
  const speaker = speakerAfter(rows, row.link, payment, before)
  if (speaker === null) return
  rows.links.put({
    ...row,
    link: { ...row.link, paymentId: speaker.id },
    paymentPhase: speaker.phase,
    plan: { ...row.plan, dueAt: null, failures: 0 },
  })
}

/** Returns the payment that a change gives the link to; null if another one keeps it. */
function speakerAfter(rows: Rows, link: PaymentLink, payment: Payment, before: Payment | null): Payment | null {
  const { ref, paymentId } = link
  if (paymentId !== payment.id) {
    const current = paymentId === null ? null : (findPayment(rows, paymentId)?.state ?? null)
    return speaksForLink(payment, current) ? payment : null
  }
  if (!fellBehind(before, payment)) return payment
  const others = rows.payments.find('linkRef', ref).filter(({ state }) => state.id !== payment.id)
  const oldestFirst = [...others.map(({ state }) => state).toSorted(byChange), payment]
  return oldestFirst.reduce((speaker, next) => (speaksForLink(next, speaker) ? next : speaker))
}

function byChange(a: Payment, b: Payment): number {
  return fromIso(a.updatedAt) - fromIso(b.updatedAt) || a.version - b.version
}
