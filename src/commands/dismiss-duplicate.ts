import type { Payment } from '../domain/payments/payment.ts'
import type { Logger } from '../observability/logger.ts'
import type { Store } from '../store/store.ts'

export type DismissDuplicateOptions = {
  readonly store: { readonly commands: Pick<Store['commands'], 'dismissDuplicate'> }
  readonly logger: Logger
  readonly clock: () => Date
}

export type DismissDuplicateOutcome =
  | { readonly kind: 'done'; readonly payment: Payment }
  | { readonly kind: 'not-found' }

/** Settles a duplicate payment without a refund. Calls nothing of the payments API, so it needs no idempotency key. */
export async function dismissDuplicate(
  { store, logger, clock }: DismissDuplicateOptions,
  paymentId: string,
): Promise<DismissDuplicateOutcome> {
  const payment = await store.commands.dismissDuplicate(paymentId, clock())
  if (payment === null) return { kind: 'not-found' }
  logger.info({ paymentId }, 'duplicate payment dismissed')
  return { kind: 'done', payment }
}
