import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { Payment } from '../../domain/payments/payment.ts'

/**
 * Returns the payment, or null if its amount or currency is unknown because the payments API has not reported it in a readable form.
 * Such a payment is stored, and returned after a read has provided the amount: an amount is never guessed.
 */
export function presentable(payment: Payment | null): Payment | null {
  return payment === null || payment.details.amount === null || payment.details.currency === null ? null : payment
}

/** Returns the agreement, or null if the payments API has not yet reported all of its terms. */
export function presentableAgreement(agreement: Agreement | null): Agreement | null {
  if (agreement === null) return null
  const { serviceId, clientTransactionId, description, limit, startDate, createdAt } = agreement
  const needed = [serviceId, clientTransactionId, description, limit, startDate, createdAt]
  return needed.includes(null) ? null : agreement
}
