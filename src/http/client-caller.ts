import type { IncomingHttpHeaders } from 'node:http'
import { bearerToken } from '../access/bearer.ts'
import { ANONYMOUS, type Caller } from '../access/caller.ts'
import type { TokenVerifier } from '../access/verify-token.ts'
import type { Config } from '../config.ts'
import { equalsOneOf } from '../keys/constant-time.ts'

/** The headers of a request, each with all its lines: of two `authorization` lines Node's plain headers keep the first alone. */
export type DistinctHeaders = { readonly [name: string]: readonly string[] | undefined }

/**
 * Who is asking over HTTP. Rejects with an `InvalidTokenError` for a token that does not hold, and for more than one
 * `authorization` line, of which whoever stands in front of us may have read the other.
 */
export async function callerOf(
  { authorization }: DistinctHeaders,
  verifier: Pick<TokenVerifier, 'verify'>,
): Promise<Caller> {
  if (authorization === undefined) return ANONYMOUS
  return verifier.verify(tokenOf({ authorization }) ?? '')
}

/** The token of a request; null when there is none, or more than one. */
export function tokenOf({ authorization }: DistinctHeaders): string | null {
  return bearerToken(authorization?.join(', '))
}

/**
 * Tells whether a request comes from the router: it carries one of the shared secrets, compared in constant time, in one
 * line of the header. Where none is set up nobody needs to be one.
 */
export function createRouterCheck(router: Config['router']): (headers: IncomingHttpHeaders) => boolean {
  if (router.kind === 'open') return () => true
  const secrets = router.secrets.map((secret) => secret.reveal())
  return ({ 'x-router-secret': given }) => typeof given === 'string' && equalsOneOf(given, secrets)
}
