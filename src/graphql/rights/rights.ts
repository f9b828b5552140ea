import { hasScope, type Caller, expired, type Scope } from '../../access/caller.ts'
import type { KeyHolder } from '../../commands/idempotency/idempotent-command.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import { isGatewayStream } from '../../domain/gateway/gateway-payment.ts'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { readStatusToken, issueStatusToken } from '../../keys/derived-secrets.ts'
import type { KeyRing } from '../../keys/key-ring.ts'
import type { Context } from '../context.ts'
import { forbidden, unauthenticated } from '../error-formatter.ts'
import { presentableAgreement } from '../views/views.ts'

/** A link, a direct payin or an agreement, which an end user may own. */
export type Owned = { readonly ownerId: string | null }

type RightsContext = Pick<Context, 'caller' | 'keys' | 'clock' | 'loaders' | 'heldSubjects'>

/** Returns whether the caller may read and follow a link: by scope, as its owner, or with the link's own status token. */
export function mayReadLink(context: RightsContext, link: PaymentLink, statusToken?: string | null): boolean {
  return mayReadAll(context) || owns(context, link) || holdsTokenFor(context, link.id, statusToken)
}

/** Returns whether the caller may read and follow a payment: by scope, with its status token, by its link, or as a payin's owner. */
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

/** Returns whether the caller may read an event: the same right as for its agreement, payout, gateway payment, link or payment. */
export async function mayReadEvent(context: RightsContext, event: PaymentEvent): Promise<boolean> {
  if (event.agreement !== null) return mayReadAgreement(context, event.agreement)
  if (event.payout !== null) return hasScope(context.caller, 'payouts:read')
  if (isGatewayStream(event.streamId)) return mayReadAll(context)
  if (event.linkRef === null) return event.payment !== null && mayReadPayment(context, event.payment)
  const link = await context.loaders.linkByRef.load(event.linkRef)
  return link !== null && mayReadLink(context, link)
}

/** Returns whether the caller may read and follow an agreement: by scope, as its owner, or with its status token. */
export function mayReadAgreement(
  context: RightsContext,
  agreement: Pick<Agreement, 'id' | 'ownerId'>,
  statusToken?: string | null,
): boolean {
  return (
    mayReadAll(context, 'agreements:read') ||
    owns(context, agreement) ||
    holdsTokenFor(context, agreement.id, statusToken)
  )
}

/** Returns the agreement if its terms are known and the caller may read it, with a status token if one is given; otherwise null. */
export function visibleAgreement(
  context: RightsContext,
  agreement: Agreement | null,
  statusToken?: string | null,
): Agreement | null {
  const shown = presentableAgreement(agreement)
  return shown !== null && mayReadAgreement(context, shown, statusToken) ? shown : null
}

/**
 * Returns the filter of a list for a caller: with the scope as it is, for a caller with a subject and no scope at all with that as the owner.
 * Throws `UNAUTHENTICATED` without a valid token, and `FORBIDDEN` for every other token, because a tool of the merchant with a wrong one must
 * not take an empty list for an answer; and for another owner.
 */
export function ownFilter<Filter extends { readonly ownerId?: string | null | undefined }>(
  { caller }: Pick<Context, 'caller'>,
  filter: Filter | null | undefined,
  { name, scope }: { readonly name: string; readonly scope: Scope },
) {
  const ownerId = subjectOf(caller)
  const hasNone = caller.kind === 'client' && caller.scopes.size === 0
  const isForOwner = hasNone && ownerId !== null && (filter?.ownerId ?? ownerId) === ownerId
  demandScopes(caller, name, isForOwner ? [[scope], []] : [[scope]])
  return hasScope(caller, scope) ? filter : { ...filter, ownerId }
}

/** Returns whether the caller may read a delivery's body. At an agreement's callback URL this needs the scope `agreements:read`. */
export async function mayReadBody(
  { caller, store }: Pick<Context, 'caller' | 'store'>,
  ref: string | null,
): Promise<boolean> {
  return ref === null || hasScope(caller, 'agreements:read') || !(await store.inbox.knowsRef(ref, ['agreement']))
}

/**
 * Returns when the right to follow ends, in milliseconds since the epoch: the expiry of the caller's JWT, or that of the status
 * token if `byToken` or without a JWT. 0 without a valid token.
 */
export function rightEndsAt(context: RightsContext, byToken: boolean, statusToken?: string | null): number {
  const { caller } = context
  if (!byToken && caller.kind === 'client') return caller.expiresAt
  return readStatusToken(context.keys, statusToken ?? '', context.clock())?.expiresAt.getTime() ?? 0
}

/**
 * Returns the key by which the streams of one link, payment or agreement are counted: one key per owner, and one for all clients with its
 * status token. Null for a caller whose scopes allow the stream.
 */
export function payerOf(context: RightsContext, owned: Owned | null, scope: Scope): string | null {
  if (mayReadAll(context, scope)) return null
  return context.caller.kind === 'client' && owns(context, owned) ? (context.caller.identity ?? '') : 'token'
}

/** Returns whether the caller may read a link, a direct payin or an agreement only with its status token. */
export function onlyByToken(context: RightsContext, owned: Owned | null, scope: Scope): boolean {
  return !mayReadAll(context, scope) && !owns(context, owned)
}

function mayReadAll({ caller, clock }: RightsContext, scope: Scope = 'payments:read'): boolean {
  return hasScope(caller, scope) && caller.kind === 'client' && caller.expiresAt > clock().getTime()
}

function owns({ caller }: RightsContext, thing: Owned | null): boolean {
  return caller.kind === 'client' && caller.subject !== null && caller.subject === thing?.ownerId
}

function holdsTokenFor(context: RightsContext, id: string, statusToken?: string | null): boolean {
  const { keys, clock, heldSubjects } = context
  if (typeof statusToken === 'string' && readStatusToken(keys, statusToken, clock())?.subjectId === id) return true
  return heldSubjects().has(id)
}

/** A token must have all scopes of at least one inner list. */
export type ScopeRule = readonly (readonly Scope[])[]

/** Throws `UNAUTHENTICATED` without a valid token, and `FORBIDDEN` if the token satisfies no list of the rule. `name` is shown as what needs it. */
export function demandScopes(caller: Caller, name: string, rule: ScopeRule): void {
  // A WebSocket may still be open after its token has expired. `Date.now` is the clock that verifies tokens.
  if (caller.kind === 'anonymous' || expired(caller, Date.now())) throw unauthenticated()
  if (!rule.some((scopes) => scopes.every((scope) => hasScope(caller, scope)))) throw forbidden(name)
}

/**
 * Throws `UNAUTHENTICATED` without a token of the caller or of a status: then nothing that has an owner can be read by its key, whether it exists or not. For a caller
 * with a token it is not an error that something is somebody else's, because that would tell that it exists.
 */
export function demandToken({ caller, heldSubjects }: RightsContext): void {
  if (caller.kind === 'anonymous' && heldSubjects().size === 0) throw unauthenticated()
}

/** Key scope of callers without an identity. They cannot be distinguished, so they share their idempotency keys. */
const UNNAMED = 'unnamed'

/** Returns the owner of a caller's idempotency keys. */
export function keyHolder(caller: Caller): KeyHolder {
  return { keyScope: keyScopeOf(caller), requestedBy: nameOf(caller) }
}

/** Returns the subject of a caller's token; null if it names none. */
export function subjectOf(caller: Caller): string | null {
  return caller.kind === 'client' ? caller.subject : null
}

/** Returns the subject or client of a caller's token, as it is recorded with what the caller asks for; null if it names neither. */
export function nameOf(caller: Caller): string | null {
  return caller.kind === 'client' ? caller.name : null
}

/** Returns the scope within which a caller's idempotency keys are unique, for each mutation. */
export function keyScopeOf(caller: Caller): string {
  return (caller.kind === 'client' ? caller.identity : null) ?? UNNAMED
}

/** Lifetime of a status token after what it is for has expired, so that a guest can still open the status page. */
const OUTLIVES_MS = 24 * 3_600_000

/** Creates the token that gives access to the status page of one link, payment or agreement until one day after `expiresAt` (ISO 8601). */
export function statusTokenFor(keys: KeyRing, subjectId: string, expiresAt: string): string {
  return issueStatusToken(keys, { subjectId, expiresAt: new Date(Date.parse(expiresAt) + OUTLIVES_MS) })
}
