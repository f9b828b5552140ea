import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { AttemptRow } from '../store/rows/command-rows.ts'
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

/** Returns the attempt with this correlation id, also if its command was deleted. */
export function findAttempt(rows: Rows, ref: string): AttemptRow | null {
  return rows.attempts.first('ref', ref)
}

/**
 * Deletes what an attempt was requested with, once its outcome is recorded. Earlier attempts keep it: an operator has said that they were not carried
 * out, and a callback may show that one was.
 */
export function dropRequested(rows: Rows, ref: string): void {
  const attempt = findAttempt(rows, ref)
  if (attempt !== null && attempt.requested !== null) rows.attempts.put({ ...attempt, requested: null })
}

/** Returns the correlation ids of all attempts of the same command; only the given one if it is unknown. */
export function refsOfSameCommand(rows: Rows, ref: string): readonly string[] {
  const attempt = findAttempt(rows, ref)
  if (attempt === null) return [ref]
  return rows.attempts.find('commandId', attempt.commandId).map((other) => other.ref)
}

/** Returns whether two correlation ids belong to attempts of one command, which create the same object. */
export function isSameCommand(rows: Rows, a: string, b: string): boolean {
  return a === b || refsOfSameCommand(rows, a).includes(b)
}
