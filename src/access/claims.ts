import type { JWTHeaderParameters, JWTPayload } from 'jose'
import * as z from 'zod'
import type { ClientCaller } from './caller.ts'
import { InvalidTokenError } from './errors.ts'
import { ALL_SCOPES } from './scopes.ts'
import type { Scope } from './scopes.ts'

const scopeList = z.union([z.string(), z.array(z.string())])

const claimsSchema = z.object({
  exp: z.number(),
  sub: z.string().optional(),
  scope: scopeList.optional(),
  scp: scopeList.optional(),
})

/** The last moment that a Date can hold, in milliseconds since the epoch. */
const LAST_MOMENT = 8.64e15

/**
 * The caller that the claims of a verified token describe. The rights are read from `scope` (RFC 8693, section 4.2), or
 * from `scp` where an issuer writes that instead, as one text with spaces or as a list; those that are not ours are left
 * out. Throws `InvalidTokenError` when a claim has the wrong type.
 */
export function callerFromClaims(payload: JWTPayload): ClientCaller {
  const claims = claimsSchema.safeParse(payload)
  if (!claims.success) throw new InvalidTokenError('invalid')
  const { exp, sub, scope, scp } = claims.data
  return {
    kind: 'client',
    subject: sub ?? null,
    scopes: new Set(knownScopes(scope ?? scp ?? '')),
    expiresAt: Math.min(Math.floor(exp * 1000), LAST_MOMENT),
  }
}

/** Throws `InvalidTokenError` when the header says that the token is something else than an access token (RFC 8725, section 3.11). */
export function checkType(header: JWTHeaderParameters): void {
  const type = header.typ
  if (type !== undefined && !/^(?:application\/)?(?:at\+)?jwt$/i.test(type)) throw new InvalidTokenError('invalid')
}

/** Our own texts, not the token's: a verified token is remembered, whatever else of any length it lists. */
function knownScopes(list: string | readonly string[]): Scope[] {
  const parts = typeof list === 'string' ? [list] : list
  const listed = new Set(parts.flatMap((part) => part.split(' ')))
  return ALL_SCOPES.filter((scope) => listed.has(scope))
}
