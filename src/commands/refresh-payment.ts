import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { ReadFailure } from '../lookups/operation-outcome.ts'
import { faultOf, readFailure } from '../lookups/upstream-failure.ts'
import type { DueReader } from '../reconciliation/due-reader.ts'
import type { PaymentFinder } from '../reconciliation/imports/find-elsewhere.ts'
import type { FoundPayment, ReadSubject, Store } from '../store/store.ts'

export type RefreshOptions = {
  readonly store: Pick<Store, 'reads' | 'links' | 'payments' | 'imports'>
  readonly reader: DueReader<ReadSubject>
  readonly paymentFinder: PaymentFinder
  readonly clock: () => Date
  /** Called when a read of what was found may be due. */
  readonly onReadDue: () => void
}

export type RefreshOutcome =
  | {
      readonly kind: 'done'
      readonly payment: Payment | null
      readonly link: PaymentLink | null
      readonly changed: boolean
    }
  | ReadFailure

/**
 * Reads a link or a payment from the payments API now, and records any change as an event. An id that is not on record is looked for at the
 * payments API if the caller `mayFind`, and what it has is recorded.
 */
export async function refreshPayment(options: RefreshOptions, id: string, mayFind: boolean): Promise<RefreshOutcome> {
  const { store, reader } = options
  const subject = await store.reads.subject(id)
  if (subject === null) return mayFind ? findPayment(options, id) : { kind: 'not-found' }
  const result = await reader.read(subject)
  if (result.kind === 'failed') return failureOf(result.error, subject.link?.site ?? '')

  const [link] = subject.link === null ? [] : await store.links.byIds([subject.link.id])
  const paymentId = subject.paymentId ?? link?.paymentId ?? null
  const [payment] = paymentId === null ? [] : await store.payments.byIds([paymentId])
  return { kind: 'done', payment: payment ?? null, link: link ?? null, changed: result.outcome === 'changed' }
}

async function findPayment(
  { store, paymentFinder, clock, onReadDue }: RefreshOptions,
  id: string,
): Promise<RefreshOutcome> {
  let found: FoundPayment | null
  try {
    found = await paymentFinder.find(id)
  } catch (error) {
    return failureOf(error, '')
  }
  const payment = found === null ? null : await store.imports.recordFound(found, clock())
  if (payment === null) return { kind: 'not-found' }
  onReadDue()
  const [link] = payment.linkRef === null ? [] : await store.links.byRefs([payment.linkRef])
  return { kind: 'done', payment, link: link ?? null, changed: true }
}

function failureOf(error: unknown, site: string): ReadFailure {
  const fault = faultOf(error)
  return fault === null ? { kind: 'upstream-unavailable', retryAfterSeconds: null } : readFailure(fault, site)
}
