import { hasScope } from '../access/caller.ts'
import type { PaymentLink } from '../domain/payment-link.ts'
import type { Payment } from '../domain/payment.ts'
import { readStatusToken } from '../keys/status-token.ts'
import type { Context } from './context.ts'

type RightsContext = Pick<Context, 'caller' | 'keys' | 'clock' | 'loaders'>

/** Whether the caller may read and follow a link: by scope, as its owner, or by the link's own status token. */
export function mayReadLink(context: RightsContext, link: PaymentLink, statusToken?: string | null): boolean {
  return mayReadAll(context) || owns(context, link) || holdsTokenFor(context, link.id, statusToken)
}

/** Whether the caller may read and follow a payment: as its link, and without one by scope or its own status token. */
export async function mayReadPayment(
  context: RightsContext,
  payment: Payment,
  statusToken?: string | null,
): Promise<boolean> {
  if (mayReadAll(context) || holdsTokenFor(context, payment.id, statusToken)) return true
  const link = payment.linkRef === null ? null : await context.loaders.linkByRef.load(payment.linkRef)
  return link !== null && mayReadLink(context, link, statusToken)
}

/**
 * When the right to follow a link ends, in milliseconds since the epoch: with the caller's token, or with the status token
 * where that alone gives the right.
 */
export function rightEndsAt(context: RightsContext, byToken: boolean, statusToken?: string | null): number {
  const { caller } = context
  if (!byToken && caller.kind === 'client') return caller.expiresAt
  return readStatusToken(context.keys, statusToken ?? '', context.clock())?.expiresAt.getTime() ?? 0
}

/** Whether only the status token lets the caller read the link. */
export function onlyByToken(context: RightsContext, link: PaymentLink | null): boolean {
  return !mayReadAll(context) && !(link !== null && owns(context, link))
}

function mayReadAll({ caller, clock }: RightsContext): boolean {
  return hasScope(caller, 'payments:read') && caller.kind === 'client' && caller.expiresAt > clock().getTime()
}

function owns({ caller }: RightsContext, link: PaymentLink): boolean {
  return caller.kind === 'client' && caller.subject !== null && caller.subject === link.ownerId
}

function holdsTokenFor({ keys, clock }: RightsContext, id: string, statusToken?: string | null): boolean {
  return typeof statusToken === 'string' && readStatusToken(keys, statusToken, clock())?.subjectId === id
}
