import { bad, good } from './read-setting.ts'
import type { Parsed } from './read-setting.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i

/** Whether a URL's host name is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * An http or https address without credentials, query or fragment, and without the slash at its end: one to which paths
 * are appended.
 */
export function parseUrl(text: string): Parsed<string> {
  const url = parseResource(text)
  if (!url.ok) return url
  if (text.includes('?')) return bad('must not contain a query')
  return good(withoutSlashes(url.value))
}

/**
 * An http or https address of one resource, which may have a query. Plain http is for this machine alone: elsewhere
 * anyone on the way could read the secrets that travel in the headers, or answer in the other's place.
 */
export function parseResource(text: string): Parsed<string> {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return bad('must be an address that begins with https://')
  if (url.username !== '' || url.password !== '') return bad('must not contain a user name or password')
  if (text.includes('#')) return bad('must not contain a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return bad('must begin with https://, unless its host is this machine (localhost, 127.0.0.1, [::1])')
  }
  return good(url.href)
}

/** The base address of the payments API, which ends in `/api` (docs/payments-api.md, base addresses). */
export function parseUpstreamUrl(text: string): Parsed<string> {
  const url = parseUrl(text)
  return url.ok && !text.endsWith('/api') ? bad('must end in /api') : url
}

/** The base address of a collector of traces, without the slash at its end. It is told no secrets, so plain http will do. */
export function parseCollector(text: string): Parsed<string> {
  const url = /[\s\p{Cc}?#]/u.test(text) ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return bad('must be an address that begins with http:// or https://, without user name, query or fragment')
  return good(withoutSlashes(url.href))
}

/** A comma-separated list of web origins, in the form in which browsers send them (RFC 6454, section 7). */
export function parseOrigins(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.findIndex((entry) => !ORIGIN.test(entry) || URL.parse(entry) === null)
  if (wrong !== -1) {
    return bad(`entry ${wrong + 1} must be an origin: scheme://host or scheme://host:port, without path, slash or *`)
  }
  return good([...new Set(entries.map(originOf))])
}

/** A comma-separated list of origins to which this program itself connects: http or https, as they are written. */
export function parseServerOrigins(text: string): Parsed<readonly string[]> {
  const origins = parseOrigins(text)
  if (!origins.ok) return origins
  const wrong = origins.value.findIndex((origin) => !/^https?:/.test(origin))
  return wrong === -1 ? origins : bad(`entry ${wrong + 1} must begin with http:// or https://`)
}

/** Apps bring schemes of their own, for which the URL standard gives no origin: those are compared as they are written. */
function originOf(entry: string): string {
  const { origin } = new URL(entry)
  return origin === 'null' ? entry.toLowerCase() : origin
}

function withoutSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
