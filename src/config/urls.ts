import { bad, good, type Parsed } from './read-setting.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i

/** Returns whether a URL's host name is loopback. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/**
 * Parses an http or https URL without credentials, query or fragment; a trailing slash is removed, so that paths can be appended.
 */
export function parseUrl(text: string): Parsed<string> {
  const url = parseResource(text)
  if (!url.ok) return url
  if (text.includes('?')) return bad('must not contain a query')
  return good(withoutSlashes(url.value))
}

/**
 * Parses an http or https URL of one resource, which may have a query. Plain http is accepted for loopback only: elsewhere,
 * anyone on the network path could read the secrets in the headers, or forge the response.
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

/** Parses the base URL of the payments API, which ends in `/api` (docs/payments-api.md, base addresses). */
export function parseUpstreamUrl(text: string): Parsed<string> {
  const url = parseUrl(text)
  return url.ok && !text.endsWith('/api') ? bad('must end in /api') : url
}

/**
 * Parses the base URL of a trace collector and removes a trailing slash. No secrets are sent to it, so plain http is accepted.
 */
export function parseCollector(text: string): Parsed<string> {
  const url = /[\s\p{Cc}?#]/u.test(text) ? null : URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return bad('must be an address that begins with http:// or https://, without user name, query or fragment')
  return good(withoutSlashes(url.href))
}

/** Parses a comma-separated list of web origins, in the form that browsers send (RFC 6454, section 7). */
function parseOrigins(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.findIndex((entry) => !ORIGIN.test(entry) || URL.parse(entry) === null)
  if (wrong !== -1) {
    return bad(`entry ${wrong + 1} must be an origin: scheme://host or scheme://host:port, without path, slash or *`)
  }
  return good([...new Set(entries.map(originOf))])
}

/** Stands for every origin of this machine, whatever its port. */
export const LOOPBACK_ORIGINS = 'loopback'

/** Parses the origins of pages that may call from a browser: a comma-separated list, which may contain `loopback`. */
export function parsePageOrigins(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const others = entries.filter((entry) => entry !== LOOPBACK_ORIGINS)
  if (others.length === entries.length) return parseOrigins(text)
  const origins = others.length === 0 ? good([]) : parseOrigins(others.join(','))
  return origins.ok ? good([LOOPBACK_ORIGINS, ...origins.value]) : origins
}

/** Parses a comma-separated list of origins to which this program connects: http or https, in canonical form. */
export function parseServerOrigins(text: string): Parsed<readonly string[]> {
  const origins = parseOrigins(text)
  if (!origins.ok) return origins
  const wrong = origins.value.findIndex((origin) => !/^https?:/.test(origin))
  return wrong === -1 ? origins : bad(`entry ${wrong + 1} must begin with http:// or https://`)
}

/** For custom schemes of apps the URL standard defines no origin: these are compared as they are written. */
function originOf(entry: string): string {
  const { origin } = new URL(entry)
  return origin === 'null' ? entry.toLowerCase() : origin
}

function withoutSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
