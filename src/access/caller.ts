import { createHash } from 'node:crypto'
import type { JWTHeaderParameters } from 'jose'
import { hasRepeatedKey } from 'payments-subgraph-lib/exact-json'
import * as z from 'zod'

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
  /** The subject, or the client of a token without one, as it is recorded with what the caller asks for: at most 255 characters. */
  readonly name: string | null
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

/** All scopes of a client's token, in the spelling of the schema's `@requiresScopes`. */
export const ALL_SCOPES = [
  'payments:read',
  'payments:write',
  'payments:refund',
  'payments:pii',
  'payments:risk',
  'payments:card-token',
  'payments:erase',
  'payments:reconcile',
  'agreements:read',
  'agreements:write',
  'payouts:read',
  'payouts:write',
  'payouts:pii',
  'customers:read',
  'customers:write',
  'customers:pii',
  'balances:read',
  'banks:lookup',
  'webhooks:replay',
  'sandbox:simulate',
] as const

/** One scope of a client. */
export type Scope = (typeof ALL_SCOPES)[number]

const KNOWN: ReadonlySet<string> = new Set(ALL_SCOPES)

/** Returns whether a text is one of our scopes. */
export function isScope(text: string): text is Scope {
  return KNOWN.has(text)
}

const scopeList = z.union([z.string(), z.array(z.string())])

/** A claim that gives no rights: with a wrong type it counts as absent. */
const name = z.string().min(1).optional().catch(undefined)

const claimsSchema = z.object({
  exp: z.number(),
  iss: name,
  client_id: name,
  azp: name,
  sub: z.string().optional(),
  scope: scopeList.optional(),
  scp: scopeList.optional(),
})

const LONGEST_NAME = 255

/** The latest instant of a Date, in milliseconds since the epoch. */
const LAST_MOMENT = 8.64e15

/** Which claims contain scopes, and what precedes each scope there; null for the default and for nothing. */
export type ScopeRules = { readonly scopeClaims: readonly string[] | null; readonly scopePrefix: string | null }

/**
 * Returns the caller of a verified token's claims. By default the scopes are read from `scope` (RFC 8693, section 4.2), or from `scp`, which
 * some issuers use instead; with `scopeClaims` from all of these. A claim is one text with spaces or a list; unknown scopes are ignored, and
 * so are other values in `scopeClaims`. Throws `InvalidTokenError` if `exp`, `sub`, `scope` or `scp` has the wrong type.
 */
export function callerFromClaims(
  payload: Readonly<Record<string, unknown>>,
  { scopeClaims, scopePrefix }: ScopeRules,
): ClientCaller {
  const claims = claimsSchema.safeParse(payload)
  if (!claims.success) throw new InvalidTokenError('invalid')
  const { exp, sub, scope, scp, client_id: client, azp } = claims.data
  const values = scopeClaims === null ? [scope ?? scp].flat() : scopeClaims.flatMap((path) => valuesAt(payload, path))
  return {
    kind: 'client',
    subject: sub ?? null,
    identity: identityOf(claims.data),
    name: (sub ?? client ?? azp)?.slice(0, LONGEST_NAME) ?? null,
    scopes: new Set(knownScopes(values, scopePrefix ?? '')),
    expiresAt: Math.min(Math.floor(exp * 1000), LAST_MOMENT),
  }
}

/**
 * The subject has priority over the client: one user of two applications is one caller. A token of the client credentials grant may contain
 * only its client (RFC 9068, section 2.2; `azp` of OpenID Connect).
 */
function identityOf({ iss = '', sub, client_id: clientId, azp }: z.infer<typeof claimsSchema>): string | null {
  const client = clientId ?? azp
  if (sub !== undefined) return digestOf(['subject', iss, sub])
  return client === undefined ? null : digestOf(['client', iss, client])
}

/** A digest has a fixed length, whatever the token contains: it is kept in the cache of verified tokens. */
function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts), 'utf8').digest('base64url')
}

/** Throws `InvalidTokenError` if the header's type is not that of an access token (RFC 8725, section 3.11). */
export function checkType(header: JWTHeaderParameters): void {
  const type = header.typ
  if (type !== undefined && !/^(?:application\/)?(?:at\+)?jwt$/i.test(type)) throw new InvalidTokenError('invalid')
}

/** Returns the values of the claims with this name, or at this path of names with dots between them. Names may contain dots themselves. */
function valuesAt(claims: unknown, path: string): unknown[] {
  if (typeof claims !== 'object' || claims === null) return []
  return Object.entries(claims).flatMap(([key, value]: [string, unknown]) => {
    if (key === path) return value
    return path.startsWith(`${key}.`) ? valuesAt(value, path.slice(key.length + 1)) : []
  })
}

/** Returns our own constants instead of the token's texts: a verified token is cached, and may list other texts of any length. */
function knownScopes(values: readonly unknown[], prefix: string): Scope[] {
  const listed = new Set(values.flatMap((value) => (typeof value === 'string' ? value.split(' ') : [])))
  return ALL_SCOPES.filter((scope) => listed.has(prefix + scope))
}

/**
 * Returns whether a text is a JWS in compact form (RFC 7515, section 7.1): three parts that are not empty, each in canonical base64url.
 * Decoders ignore white space, padding and unused bits at the end, so one token could otherwise be written in any number of ways.
 */
export function isCompactJws(text: string): boolean {
  const parts = text.split('.', 4)
  return parts.length === 3 && parts.every(isCanonical)
}

/**
 * Returns whether neither the header nor the claims of a token contain a key twice (RFC 7515, section 4; RFC 7519, section 4): some parsers
 * use the first value and others the last. The token must be verified, so that both are JSON objects.
 */
export function namesAreUnique(token: string): boolean {
  return token
    .split('.', 2)
    .map((part) => Buffer.from(part, 'base64url').toString('utf8'))
    .every((json) => !hasRepeatedKey(json, JSON.parse(json)))
}

function isCanonical(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
}

/**
 * The reason why a token was rejected: `expired` is remedied by a new token, `not_yet_valid` by a right clock, and `invalid` is not explained
 * further.
 */
export type TokenRefusal = 'expired' | 'not_yet_valid' | 'invalid'

const REFUSALS: Readonly<Record<TokenRefusal, string>> = {
  expired: 'The token has expired.',
  not_yet_valid: 'The token is not valid yet.',
  invalid: 'The token is not valid.',
}

/** The token is rejected. The message contains no part of the token. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError'
  readonly code = 'INVALID_TOKEN'
  readonly safeMessage = true
  readonly reason: TokenRefusal

  constructor(reason: TokenRefusal) {
    super(REFUSALS[reason])
    this.reason = reason
  }
}

/** The issuer's keys are unavailable, so the token cannot be verified now. The client should retry. */
export class TokenKeysUnavailableError extends Error {
  override readonly name = 'TokenKeysUnavailableError'
  readonly code = 'TOKEN_KEYS_UNAVAILABLE'
  readonly safeMessage = true

  constructor() {
    super('Tokens cannot be verified at the moment.')
  }
}

const BEARER = /^bearer +([\w.~+/-]+=*)$/i

/**
 * Returns the token of an Authorization header (RFC 6750, section 2.1); null if there is no header, or one of another scheme or format. The
 * scheme is matched without regard to case.
 */
export function bearerToken(header: string | undefined): string | null {
  return BEARER.exec(header ?? '')?.[1] ?? null
}
