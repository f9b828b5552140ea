import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { Payment } from '../../domain/payments/payment.ts'

/**
 * A payment whose amount the payments API has not told in a way that can be read is kept, and shown once a read has told it:
 * its amount is never guessed.
 */
export function presentable(payment: Payment | null): Payment | null {
  return payment === null || payment.details.amount === null || payment.details.currency === null ? null : payment
}

/** The same for an agreement whose terms the payments API has not told yet. */
export function presentableAgreement(agreement: Agreement | null): Agreement | null {
  if (agreement === null) return null
  const { serviceId, clientTransactionId, description, limit, startDate, createdAt } = agreement
  const needed = [serviceId, clientTransactionId, description, limit, startDate, createdAt]
  return needed.includes(null) ? null : agreement
}
