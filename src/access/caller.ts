import type { Scope } from './scopes.ts'

/** A client with a valid token. `expiresAt` is in milliseconds since the epoch. */
export type ClientCaller = {
  readonly kind: 'client'
  /** The token's subject; null if it has none. */
  readonly subject: string | null
  /**
   * SHA-256 of the token's issuer and subject, or of its issuer and client if it has no subject: equal for all tokens of one caller, and
   * different for equal subjects of two issuers. Null if the token has neither.
   */
  readonly identity: string | null
  readonly scopes: ReadonlySet<Scope>
  readonly expiresAt: number
}

/** The caller of a request. */
export type Caller = { readonly kind: 'anonymous' } | ClientCaller

/** A caller without a token. */
export const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous' })

/** Returns whether the caller's token has a scope. Its expiry is checked by `expired`. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.kind === 'client' && caller.scopes.has(scope)
}

/** Returns whether the caller's token has expired at the moment `now`, in milliseconds since the epoch. */
export function expired(caller: Caller, now: number): boolean {
  return caller.kind === 'client' && caller.expiresAt <= now
}
