import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'

/** Returns the payment with this uuid. */
export function findPayment(rows: Rows, id: string): PaymentRow | null {
  return rows.payments.first('id', id)
}

/** Returns the link of a payment, if it has a record. */
export function linkOf(rows: Rows, { linkRef }: Pick<Payment, 'linkRef'>): PaymentLink | null {
  return linkRef === null ? null : (rows.links.first('ref', linkRef)?.link ?? null)
}
