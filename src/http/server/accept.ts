import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

/** A parameter of a media range, except its weight. A weight that is no number is none. */
const PARAMETER = /;(?!\s*q\s*=\s*"?[\d.])[^;,"]*(?:"(?:[^"\\]|\\.)*"[^;,"]*)?/gi

/**
 * Returns the negotiator of an `accept` header. Parameters are not compared: clients name the charset or a version of what they are sent anyway.
 * A header without any range, such as `*` alone, is no preference, like none (RFC 9110, section 12.5.1).
 */
function negotiatorOf(accept: string): Negotiator {
  const ranges = accept.replaceAll(PARAMETER, '').toLowerCase()
  return new Negotiator({ headers: { accept: ranges.includes('/') ? ranges : undefined } })
}

/** Returns the one of these media types that a client with this `accept` header prefers, the first of equal ones; null if it accepts none. */
export function preferredType(accept: string, types: readonly string[]): string | null {
  return negotiatorOf(accept).mediaTypes([...types])[0] ?? null
}

/** Returns whether an `accept` header names a media type, not only by a wildcard. */
export function namesType(accept: string | undefined, type: string): boolean {
  return accept !== undefined && negotiatorOf(accept).mediaTypes().includes(type)
}

/** Returns whether the request is a browser's navigation to a page. */
export function asksForPage({ method, headers: { accept } }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && namesType(accept, 'text/html')
}
