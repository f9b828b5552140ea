import { timingSafeEqual, createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { bearerToken } from '../access/bearer.ts'
import { ANONYMOUS, type Caller } from '../access/caller.ts'
import type { TokenVerifier } from '../access/verify-token.ts'
import type { Config } from '../config.ts'

/** Who is asking over HTTP. Rejects with an `InvalidTokenError` for a token that does not hold. */
export async function callerOf(headers: IncomingHttpHeaders, verifier: TokenVerifier): Promise<Caller> {
  if (headers.authorization === undefined) return ANONYMOUS
  return verifier.verify(bearerToken(headers.authorization) ?? '')
}

/**
 * Tells whether a request comes from the router: it carries one of the shared secrets. Where none is set up nobody needs
 * to be one.
 */
export function createRouterCheck(router: Config['router']): (headers: IncomingHttpHeaders) => boolean {
  if (router.kind === 'open') return () => true
  const digests = router.secrets.map((secret) => digest(secret.reveal()))
  return (headers) => {
    const given = headers['x-router-secret']
    if (typeof given !== 'string') return false
    const wanted = digest(given)
    return digests.reduce((found, known) => timingSafeEqual(known, wanted) || found, false)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
