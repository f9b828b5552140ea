import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { bearerToken, ANONYMOUS, type Caller, InvalidTokenError } from '../../access/caller.ts'
import type { VerifiedToken, TokenVerifier } from '../../access/verify-token.ts'
import type { Config } from '../../config.ts'
import { isOneOf } from '../../keys/key-ring.ts'
import { countHeaderLines } from './request-faults.ts'

/** The headers of a request with all their lines: of two `authorization` lines Node's plain headers keep only the first. */
type DistinctHeaders = { readonly [name: string]: readonly string[] | undefined }

/** Returns the caller of an HTTP request; a promise if its token has to be verified first. */
export type CallerReader = (request: IncomingMessage) => Caller | Promise<Caller>

/**
 * Creates the reader of callers over HTTP. It rejects with an `InvalidTokenError` for an invalid token, and for more than one
 * `authorization` line, since a proxy in front may have checked the other one. The latest token of each connection is cached, so that
 * for a client that reuses its connection only two strings are compared.
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

/** Returns the token of a request; null if there is none, or more than one. */
export function tokenOf({ authorization }: DistinctHeaders): string | null {
  return bearerToken(authorization?.join(', '))
}

/**
 * Returns the check of whether a request comes from the router: it carries one of the shared secrets in exactly one header line,
 * compared in constant time. If no secret is configured, no request has to carry one.
 */
export function createRouterCheck(router: Config['router']): RouterCheck {
  if (router.kind === 'open') return () => true
  const isSecret = isOneOf(router.secrets.map((secret) => secret.reveal()))
  // The secret that a connection has shown: it is compared with what the same peer sends again, so that the time tells it nothing new.
  const shown = new WeakMap<Socket, string>()
  return ({ socket, headers: { 'x-router-secret': given } }) => {
    if (typeof given !== 'string') return false
    if (shown.get(socket) === given) return true
    if (!isSecret(given)) return false
    shown.set(socket, given)
    return true
  }
}

/** Returns whether a request comes from the router. */
export type RouterCheck = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean

/** Names of the token in `connectionParams`, in lower case: the first counts. */
const NAMES = ['authorization', 'token', 'authtoken', 'accesstoken', 'access_token']

/**
 * Returns the token of a WebSocket connection, with or without the prefix Bearer: from its parameters, or from `headers` among them, as some
 * tools send it; otherwise from the upgrade request. Null if there is none. Malformed or repeated values are returned too; the verifier
 * refuses them.
 */
export function connectionToken(params: unknown, { authorization }: DistinctHeaders): string | null {
  const { headers } = Object(params) as { readonly headers?: unknown }
  const value = tokenIn(params) ?? tokenIn(headers) ?? authorization?.join(', ')
  return value === undefined ? null : (bearerToken(value) ?? value)
}

function tokenIn(params: unknown): string | undefined {
  const texts = Object.entries(Object(params) as object).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' && value !== '' ? [[name.toLowerCase(), value] as const] : [],
  )
  return NAMES.flatMap((known) => texts.filter(([name]) => name === known))[0]?.[1]
}
