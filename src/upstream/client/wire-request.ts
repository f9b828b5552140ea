import { stringifyExactJson } from '../../lib/exact-json.ts'
import type { Method } from '../resilience/resilience-policy.ts'
import { isLoopback } from '../wire/values/url.ts'
import type { WireRequest } from './exchange.ts'
import type { Site } from './sites.ts'

export type UpstreamRequest = {
  readonly method: Method
  /** Relative to the base URL, with a leading slash: `/v3/payin_links`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | null | undefined>>
  /** Serialised as JSON; exact numbers keep their digits. */
  readonly body?: unknown
  /** Further headers; they cannot replace the credentials. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds over all attempts, if shorter than the transport's own deadline. */
  readonly withinMs?: number
}

/**
 * Parses the base URL of the payments API (docs/payments-api.md, section 5: https for all calls). Throws `TypeError` for a URL
 * that is neither https nor on loopback, or that contains more than host, port and path.
 */
export function baseAddress(baseUrl: string): URL {
  const base = new URL(baseUrl)
  if (base.protocol !== 'https:' && !(base.protocol === 'http:' && isLoopback(base.hostname)))
    throw new TypeError('The base address of the payments API must be https, or http on loopback.')
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '')
    throw new TypeError('The base address of the payments API must hold nothing but host, port and path.')
  return base
}

/** A body that is sent as it comes. */
export type UpstreamUpload = {
  /** Relative to the base URL, with a leading slash. */
  readonly path: string
  readonly body: { readonly contentType: string; readonly bytes: AsyncIterable<Uint8Array> }
}

/** Builds the request of an upload. */
export function uploadRequest(base: URL, site: Site, { path, body }: UpstreamUpload, requestId: string): WireRequest {
  const { contentType, bytes } = body
  const plain = wireRequest(base, site, { method: 'POST', path }, requestId)
  return { ...plain, body: bytes, headers: { ...plain.headers, 'content-type': contentType } }
}

/** Builds the request once, before the first attempt, so that all attempts are identical. */
export function wireRequest(base: URL, site: Site, asked: UpstreamRequest, requestId: string): WireRequest {
  const body = asked.body === undefined ? null : stringifyExactJson(asked.body)
  return {
    method: asked.method,
    path: `${base.pathname.endsWith('/') ? base.pathname.slice(0, -1) : base.pathname}${asked.path}${queryText(asked.query ?? {})}`,
    body,
    headers: {
      ...lowerCased(asked.headers ?? {}),
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      'x-request-id': requestId,
      'app-id': site.appId,
      'secret-key': site.secretKey.reveal(),
    },
  }
}

function queryText(query: NonNullable<UpstreamRequest['query']>): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== null && value !== undefined) parameters.append(key, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
