import { hasScope, type Caller } from '../../access/caller.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { PaymentEvent } from '../../domain/payments/payment-event.ts'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { readStatusToken } from '../../keys/status-token.ts'
import type { Context } from '../context.ts'
import { presentableAgreement } from '../views/presentable.ts'

/** A link or a direct payin: an end user may be its owner. */
type Owned = { readonly ownerId: string | null }

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
  if (payment.linkRef === null) return owns(context, await context.loaders.payinByPayment.load(payment.id))
  const link = await context.loaders.linkByRef.load(payment.linkRef)
  return link !== null && mayReadLink(context, link, statusToken)
}

/** Whether the caller may read an event: as what it is about. */
export async function mayReadEvent(context: RightsContext, event: PaymentEvent): Promise<boolean> {
  if (event.agreement !== null) return hasScope(context.caller, 'agreements:read')
  if (event.linkRef === null) return event.payment !== null && mayReadPayment(context, event.payment)
  const link = await context.loaders.linkByRef.load(event.linkRef)
  return link !== null && mayReadLink(context, link)
}

/** What a caller is shown of an agreement that an event brings along: the log of payments is open to more callers. */
export function visibleAgreement(caller: Caller, agreement: Agreement | null): Agreement | null {
  return hasScope(caller, 'agreements:read') ? presentableAgreement(agreement) : null
}

/** Whether the caller may read what is kept of a delivery's body: of what came to an agreement's address, as the agreement. */
export async function mayReadBody(
  { caller, store }: Pick<Context, 'caller' | 'store'>,
  ref: string | null,
): Promise<boolean> {
  return ref === null || hasScope(caller, 'agreements:read') || !(await store.inbox.knowsRef(ref, ['agreement']))
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

/**
 * Whose streams of one link or payment are counted together: one owner's, or those of everybody with its status token. Null
 * for a caller whose scopes give the right.
 */
export function payerOf(context: RightsContext, owned: Owned | null): string | null {
  if (mayReadAll(context)) return null
  return context.caller.kind === 'client' && owns(context, owned) ? (context.caller.identity ?? '') : 'token'
}

/** Whether only the status token lets the caller read a link or a direct payin. */
export function onlyByToken(context: RightsContext, owned: Owned | null): boolean {
  return !mayReadAll(context) && !owns(context, owned)
}

function mayReadAll({ caller, clock }: RightsContext): boolean {
  return hasScope(caller, 'payments:read') && caller.kind === 'client' && caller.expiresAt > clock().getTime()
}

function owns({ caller }: RightsContext, thing: Owned | null): boolean {
  return caller.kind === 'client' && caller.subject !== null && caller.subject === thing?.ownerId
}

function holdsTokenFor({ keys, clock }: RightsContext, id: string, statusToken?: string | null): boolean {
  return typeof statusToken === 'string' && readStatusToken(keys, statusToken, clock())?.subjectId === id
}
