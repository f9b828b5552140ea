import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { ReadFailure } from '../lookups/operation-outcome.ts'
import { faultOf, readFailure } from '../lookups/upstream-failure.ts'
import type { DueReader } from '../reconciliation/due-reader.ts'
import type { ReadSubject, Store } from '../store/store.ts'

export type RefreshOutcome =
  | {
      readonly kind: 'done'
      readonly payment: Payment | null
      readonly link: PaymentLink | null
      readonly changed: boolean
    }
  | ReadFailure

/** Reads a link or a payment from the payments API now, and records any change as an event. */
export async function refreshPayment(
  { store, reader }: { store: Pick<Store, 'reads' | 'links' | 'payments'>; reader: DueReader<ReadSubject> },
  id: string,
): Promise<RefreshOutcome> {
  const subject = await store.reads.subject(id)
  if (subject === null) return { kind: 'not-found' }
  const result = await reader.read(subject)
  if (result.kind === 'failed') return failureOf(result.error, subject.link?.site ?? '')

  const [link] = subject.link === null ? [] : await store.links.byIds([subject.link.id])
  const paymentId = subject.paymentId ?? link?.paymentId ?? null
  const [payment] = paymentId === null ? [] : await store.payments.byIds([paymentId])
  return { kind: 'done', payment: payment ?? null, link: link ?? null, changed: result.outcome === 'changed' }
}

function failureOf(error: unknown, site: string): ReadFailure {
  const fault = faultOf(error)
  return fault === null ? { kind: 'upstream-unavailable', retryAfterSeconds: null } : readFailure(fault, site)
}
