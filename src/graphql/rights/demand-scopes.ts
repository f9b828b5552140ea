import { expired, hasScope, type Caller } from '../../access/caller.ts'
import type { Scope } from '../../access/scopes.ts'
import { forbidden, unauthenticated } from '../error-formatter.ts'

/** A token must have all scopes of at least one inner list. */
export type ScopeRule = readonly (readonly Scope[])[]

/** Throws `UNAUTHENTICATED` without a valid token, and `FORBIDDEN` if the token satisfies no list of the rule. `name` is shown as what needs it. */
export function demandScopes(caller: Caller, name: string, rule: ScopeRule): void {
  // A WebSocket may still be open after its token has expired. `Date.now` is the clock that verifies tokens.
  if (caller.kind === 'anonymous' || expired(caller, Date.now())) throw unauthenticated()
  if (!rule.some((scopes) => scopes.every((scope) => hasScope(caller, scope)))) throw forbidden(name)
}

/**
 * Throws `UNAUTHENTICATED` without a token: then nothing that has an owner can be read by its key, whether it exists or not. For a caller
 * with a token it is not an error that something is somebody else's, because that would tell that it exists.
 */
export function demandToken(caller: Caller): void {
  if (caller.kind === 'anonymous') throw unauthenticated()
}
