import type { Logger } from '../observability/logger.ts'
import { callerFromClaims, InvalidTokenError, type ScopeRules, TokenKeysUnavailableError } from './caller.ts'
import {
  createTokenWatch,
  MAX_TOKEN_BYTES,
  type TokenVerifier,
  type TokenVerifierOptions,
  WATCH_MS,
} from './verify-token.ts'

/**
 * Verifies a token that this process cannot verify by itself, such as an opaque one. Resolves to its claims, in the form of RFC 7519 or of an
 * introspection (RFC 7662), or to null if it is not accepted. `exp` is required. A rejection means that nobody can tell now.
 */
export type VerifyToken = (token: string) => Promise<Readonly<Record<string, unknown>> | null>

type OwnVerifierOptions = Pick<TokenVerifierOptions, 'onRefused'> & {
  readonly log: Pick<Logger, 'warn'>
  readonly clock?: () => number
}

/**
 * Creates a verifier that asks a function of the program for each request, so that the function decides what is cached and for how long. The
 * tokens of open streams are asked for again by `refetchKeys`.
 */
export function createOwnVerifier(
  verifyToken: VerifyToken,
  rules: ScopeRules,
  { log, onRefused, clock = Date.now }: OwnVerifierOptions,
): TokenVerifier {
  let generation = 0
  const claimsOf = async (token: string) => {
    try {
      return await verifyToken(token)
    } catch (error) {
      log.warn({ err: error }, 'a token cannot be verified: verifyToken failed')
      throw new TokenKeysUnavailableError()
    }
  }
  const verify: TokenVerifier['verify'] = async (token) => {
    try {
      return await check(token)
    } catch (error) {
      if (error instanceof InvalidTokenError) onRefused?.(error.reason)
      throw error
    }
  }
  const check: TokenVerifier['verify'] = async (token) => {
    if (token === '' || Buffer.byteLength(token, 'utf8') > MAX_TOKEN_BYTES) throw new InvalidTokenError('invalid')
    const claims = await claimsOf(token)
    if (claims === null) throw new InvalidTokenError('invalid')
    const caller = callerFromClaims(claims, rules)
    if (caller.expiresAt <= clock()) throw new InvalidTokenError('expired')
    return caller
  }
  const watch = createTokenWatch({ verify, generation: async () => generation, intervalMs: WATCH_MS })
  return {
    verify,
    watch,
    recall: () => null,
    callerOf: () => null,
    async refetchKeys() {
      generation += 1
      await watch.check()
      return true
    },
  }
}
