import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { bearerToken } from '../../access/bearer.ts'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import { InvalidTokenError } from '../../access/token-errors.ts'
import type { VerifiedToken } from '../../access/verified-tokens.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { Config } from '../../config.ts'
import { isOneOf } from '../../keys/constant-time.ts'
import { countHeaderLines } from './count-header-lines.ts'

/** The headers of a request, each with all its lines: of two `authorization` lines Node's plain headers keep the first alone. */
export type DistinctHeaders = { readonly [name: string]: readonly string[] | undefined }

/** The caller of a request over HTTP; a promise when its token was not verified before. */
export type CallerReader = (request: IncomingMessage) => Caller | Promise<Caller>

/**
 * Reads who is asking over HTTP. Rejects with an `InvalidTokenError` for a token that is not valid, and for more than one
 * `authorization` line, of which whoever stands in front of us may have read the other. The last token of each connection is
 * remembered, so that clients that keep their connection are recognised by comparing two texts.
 */
export function createCallerReader(verifier: Pick<TokenVerifier, 'verify' | 'recall' | 'callerOf'>): CallerReader {
  const shown = new WeakMap<Socket, { readonly authorization: string; readonly verified: VerifiedToken }>()
  return ({ socket, headers: { authorization }, rawHeaders }) => {
    if (authorization === undefined) return ANONYMOUS
    if (countHeaderLines(rawHeaders, 'authorization') > 1) return Promise.reject(new InvalidTokenError('invalid'))
    const last = shown.get(socket)
    const known = last?.authorization === authorization ? verifier.callerOf(last.verified) : null
    if (known !== null) return known
    const token = bearerToken(authorization) ?? ''
    const verified = verifier.recall(token)
    const caller = verified === null ? null : verifier.callerOf(verified)
    if (verified === null || caller === null) return verifier.verify(token)
    shown.set(socket, { authorization, verified })
    return caller
  }
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
  const isSecret = isOneOf(router.secrets.map((secret) => secret.reveal()))
  return ({ 'x-router-secret': given }) => typeof given === 'string' && isSecret(given)
}
