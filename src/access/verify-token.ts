import { createSecretKey } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import type { ClientsConfig } from '../config/shape.ts'
import type { Logger } from '../log.ts'
import type { ClientCaller } from './caller.ts'
import { callerFromClaims, checkType } from './claims.ts'
import { isCompactJws, namesAreUnique } from './compact-form.ts'
import { InvalidTokenError, TokenKeysUnavailableError } from './errors.ts'
import { createRemoteKeys } from './remote-keys.ts'
import { createVerifiedTokens } from './verified-tokens.ts'

/** Checks client tokens. */
export type TokenVerifier = {
  /**
   * Gives the caller that a token speaks for. Rejects with `InvalidTokenError` when it gives no rights, and with
   * `TokenKeysUnavailableError` when the issuer's keys cannot be had.
   */
  verify(token: string): Promise<ClientCaller>
}

export type TokenVerifierOptions = {
  /** The time, in milliseconds since the epoch; the system's by default. */
  readonly clock?: () => number
  /** A clock in milliseconds that only rises; the process's own by default. */
  readonly elapsed?: () => number
  readonly log?: Pick<Logger, 'debug' | 'warn'>
}

const MAX_TOKEN_BYTES = 8 * 1024
/** How far the issuer's clock may be ahead of ours, in seconds. Expiry is exact: nothing is served after it. */
const CLOCK_TOLERANCE_S = 5
const SECRET_ALGORITHMS = ['HS256']
const PUBLISHED_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']

/**
 * Makes the verifier of client tokens (RFC 7519, with the advice of RFC 8725): the algorithms are ours to choose and not
 * the token's, keys that a token carries or points at are ignored, `exp` is required, and nothing may be said twice. A
 * verified token is remembered for ten minutes, and while the issuer's keys cannot be had until it expires; refused ones
 * never are.
 */
export function createTokenVerifier(clients: ClientsConfig, options: TokenVerifierOptions = {}): TokenVerifier {
  const clock = options.clock ?? Date.now
  const keyOf = keySource(clients, options)
  const verified = createVerifiedTokens(clock)
  const rules = rulesFor(clients)
  return {
    async verify(token) {
      if (Buffer.byteLength(token, 'utf8') > MAX_TOKEN_BYTES || !isCompactJws(token))
        throw new InvalidTokenError('invalid')
      const known = verified.find(token)
      if (known !== null) return known
      try {
        const result = await check(token, keyOf, { ...rules, currentDate: new Date(clock()) })
        if (!namesAreUnique(token)) throw new InvalidTokenError('invalid')
        const caller = acceptedCaller(result, clock())
        verified.remember(token, caller)
        return caller
      } catch (error) {
        const refusal = refusalFor(error, options.log)
        const earlier = refusal instanceof TokenKeysUnavailableError ? verified.recall(token) : null
        if (earlier !== null) return earlier
        if (refusal instanceof InvalidTokenError) verified.forget(token)
        throw refusal
      }
    },
  }
}

function keySource(clients: ClientsConfig, { elapsed, log }: TokenVerifierOptions): JWTVerifyGetKey {
  if (clients.kind === 'jwks')
    return createRemoteKeys(clients.url, { elapsed: elapsed ?? (() => performance.now()), log })
  const key = createSecretKey(clients.secret.reveal(), 'utf8')
  return () => Promise.resolve(key)
}

function rulesFor(clients: ClientsConfig): JWTVerifyOptions {
  return {
    algorithms: clients.kind === 'secret' ? SECRET_ALGORITHMS : PUBLISHED_ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    ...(clients.issuer === null ? {} : { issuer: clients.issuer }),
    ...(clients.audience === null ? {} : { audience: clients.audience }),
  }
}

async function check(token: string, keyOf: JWTVerifyGetKey, rules: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keyOf, rules)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    return checkWithEach(token, error, rules)
  }
}

/** A token that names no key, of an issuer with several of the kind: one of them must have signed it. */
async function checkWithEach(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  rules: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  for await (const key of candidates) {
    try {
      return await jwtVerify(token, key, rules)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new InvalidTokenError('invalid')
}

function acceptedCaller({ payload, protectedHeader }: JWTVerifyResult, now: number): ClientCaller {
  checkType(protectedHeader)
  const caller = callerFromClaims(payload)
  if (caller.expiresAt <= now) throw new InvalidTokenError('expired')
  return caller
}

function refusalFor(error: unknown, log: TokenVerifierOptions['log']): Error {
  if (error instanceof TokenKeysUnavailableError || error instanceof InvalidTokenError) return error
  log?.debug({ code: 'INVALID_TOKEN', err: error }, 'A client token was refused.')
  return new InvalidTokenError(error instanceof errors.JWTExpired ? 'expired' : 'invalid')
}
