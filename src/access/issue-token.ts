import { createSecretKey } from 'node:crypto'
import { SignJWT } from 'jose/jwt/sign'
import type { Secret } from '../keys/key-ring.ts'
import type { Scope, ScopeRules } from './caller.ts'

/**
 * The content of a development token. `ttlSeconds` counts from `issuedAt`; the default of `issuedAt` is the current time. The scopes are in the
 * first of `scopeClaims`.
 */
export type DevelopmentTokenOptions = Partial<ScopeRules> & {
  readonly scopes: readonly Scope[]
  readonly subject: string | null
  readonly ttlSeconds: number
  readonly issuer?: string | null
  readonly audience?: string | null
  readonly issuedAt?: Date
}

/**
 * Creates a client token that is signed with the shared secret (HS256), as `createTokenVerifier` accepts it. For development and tests: in
 * production an issuer creates the tokens.
 */
export function issueDevelopmentToken(secret: Secret, options: DevelopmentTokenOptions): Promise<string> {
  const issuedAt = Math.floor((options.issuedAt?.getTime() ?? Date.now()) / 1000)
  const scopes = options.scopes.map((scope) => `${options.scopePrefix ?? ''}${scope}`)
  const token = new SignJWT({ [options.scopeClaims?.[0] ?? 'scope']: scopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + options.ttlSeconds)
  if (options.subject !== null) token.setSubject(options.subject)
  if (options.issuer) token.setIssuer(options.issuer)
  if (options.audience) token.setAudience(options.audience)
  return token.sign(createSecretKey(secret.reveal(), 'utf8'))
}
