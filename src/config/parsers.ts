import { isIP } from 'node:net'
import { isLoopbackHost } from 'payments-subgraph-lib/known-hosts'

/** A parsed value, or a message that continues a sentence that begins with the setting's name. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

export type Parser<Value> = (text: string) => Parsed<Value>

/** Returns the result for a valid text. */
export function good<Value>(value: Value): Parsed<Value> {
  return { ok: true, value }
}

/** Returns the result for an invalid text. `message` continues a sentence that begins with the setting's name. */
export function bad(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

const CONTROL = /\p{Cc}/u
const HOST = /^[\w.:%-]{1,253}$/

/** Parses one of a list of words, case-sensitive. */
export function oneOf<Word extends string>(words: readonly Word[]): Parser<Word> {
  return (text) => {
    const word = words.find((candidate) => candidate === text)
    return word === undefined ? bad(`must be one of ${words.join(', ')}`) : good(word)
  }
}

/** Parses a word into the value that it stands for. */
export function choice<Value>(values: Readonly<Record<string, Value>>): Parser<Value> {
  const parse = oneOf(Object.keys(values))
  return (text) => {
    const word = parse(text)
    return word.ok ? good(values[word.value] as Value) : word
  }
}

/** Parses a comma-separated list of these words, or `all` or `none` of them. */
export function someOf<Word extends string>(words: readonly Word[]): Parser<readonly Word[]> {
  return (text) => {
    if (text === 'all') return good(words)
    const entries = text === 'none' ? [] : text.split(',').map((entry) => oneOf(words)(entry.trim()))
    const wrong = entries.findIndex(({ ok }) => !ok)
    if (wrong !== -1) return bad(`entry ${wrong + 1} must be one of ${words.join(', ')}; or the setting all or none`)
    return good(entries.flatMap((entry) => (entry.ok ? entry.value : [])))
  }
}

/** Parses a text that may also be a word, which stands for `value`. */
export function wordOr<Value, Other>(word: string, value: Other, parse: Parser<Value>): Parser<Value | Other> {
  return (text) => (text === word ? good(value) : parse(text))
}

/** Parses an integer in decimal digits, from `least` to `most`. */
export function wholeNumber(least: number, most: number): Parser<number> {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
    return number >= least && number <= most ? good(number) : bad(`must be a whole number from ${least} to ${most}`)
  }
}

/** Parses a TCP port; 0 lets the system choose a free one. */
export function parsePort(text: string): Parsed<number> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  return port <= 65_535 ? good(port) : bad('must be a whole number from 0 to 65535')
}

const OFF = 'off'

/** Parses the port of the server for metrics and probes, or `off`. */
export function parseAdminPort(text: string): Parsed<number | typeof OFF> {
  if (text === OFF) return good(OFF)
  const port = parsePort(text)
  return port.ok ? port : bad(`${port.message}, or ${OFF}`)
}

/** Parses a host name or an address to listen on, IPv6 without brackets. */
export function parseHost(text: string): Parsed<string> {
  return HOST.test(text) ? good(text) : bad('must be a host name or an IP address, without scheme, port or brackets')
}

/** Parses a comma-separated list of host names and addresses, without ports. */
export function parseHosts(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.findIndex((entry) => !HOST.test(entry) || (entry.includes(':') && isIP(entry) === 0))
  return wrong === -1
    ? good(entries)
    : bad(`entry ${wrong + 1} must be a host name or an IP address, without scheme, port or brackets`)
}

/** Parses a comma-separated list of names without white space. */
export function parseNames(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.findIndex((entry) => !/^[^\s\p{Cc}]+$/u.test(entry))
  return wrong === -1 ? good(entries) : bad(`entry ${wrong + 1} must be a name without white space`)
}

/** Parses a text of one line without white space at its ends. */
export function parseLine(text: string): Parsed<string> {
  if (CONTROL.test(text)) return bad('must not contain control characters, such as a line break')
  return text.trim() === text ? good(text) : bad('must not begin or end with white space')
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i

/**
 * Parses an http or https URL without credentials, query or fragment; a trailing slash is removed, so that paths can be appended.
 */
function parseUrl(text: string): Parsed<string> {
  const url = parseResource(text)
  if (!url.ok) return url
  if (text.includes('?')) return bad('must not contain a query')
  return good(withoutSlashes(url.value))
}

/** Parses the URL at which this program is reached, like `parseUrl`. A path is refused: pages and files are served at the root. */
export function parsePublicUrl(text: string): Parsed<string> {
  const url = parseUrl(text)
  if (!url.ok || new URL(url.value).pathname === '/') return url
  return bad('must not contain a path: the pages name their files from the root, so use a host name of its own')
}

/**
 * Parses an http or https URL of one resource, which may have a query. Plain http is accepted for loopback only: elsewhere,
 * anyone on the network path could read the secrets in the headers, or forge the response.
 */
export function parseResource(text: string): Parsed<string> {
  if (/[\s\p{Cc}]/u.test(text)) return bad('must not contain white space or line breaks')
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return bad('must be an address that begins with https://')
  if (url.username !== '' || url.password !== '') return bad('must not contain a user name or password')
  if (text.includes('#')) return bad('must not contain a fragment')
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
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

/** Parses `name=value,name=value`; values are percent-encoded (W3C Baggage, section 3.2.1). */
export function parsePairs(text: string): Parsed<Readonly<Record<string, string>>> {
  const pairs: [string, string][] = []
  for (const [index, entry] of text.split(',').entries()) {
    const equals = entry.indexOf('=')
    const name = entry.slice(0, Math.max(equals, 0)).trim()
    const value = entry.slice(equals + 1).trim()
    if (!/^[\w.-]+$/.test(name) || !/^[\x21-\x7e]*$/.test(value) || (value !== '' && !isPercentEncoded(value)))
      return bad(`entry ${index + 1} must be name=value, with other characters of the value percent-encoded`)
    pairs.push([name, decodeURIComponent(value)])
  }
  return good(Object.fromEntries(pairs))
}

/** The same, for values that must not be shown. */
export function secretPairs(text: string): Parsed<() => Readonly<Record<string, string>>> {
  const pairs = parsePairs(text)
  return pairs.ok ? good(() => pairs.value) : pairs
}

/** Parses a number from 0 to 1. */
export function parseShare(text: string): Parsed<number> {
  const share = /^(?:0|1|[01]?\.\d+)$/.test(text) ? Number(text) : Number.NaN
  return share <= 1 ? good(share) : bad('must be a number from 0 to 1')
}

/** Parses the address of a proxy, which may have credentials; without a scheme it is an http address, as for other programs. */
export function parseProxy(text: string): Parsed<string> {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return bad('must be the address of an HTTP proxy, such as http://proxy:3128')
  return isPercentEncoded(`${url.username}:${url.password}`)
    ? good(url.href)
    : bad('must have each % of its user name and password written as %25')
}

function isPercentEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
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

/** Named networks (RFC 1122, RFC 3927, RFC 1918, RFC 4193). */
const NAMED_NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/**
 * Parses a comma-separated list of addresses, networks in CIDR form, and names of networks. Rejects "true" and a number of hops:
 * both would trust a header from any client that reaches us without the proxy.
 */
export function parseNetworks(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.findIndex((entry) => !NAMED_NETWORKS.has(entry) && !isNetwork(entry))
  if (wrong === -1) return good(entries.flatMap((entry) => NAMED_NETWORKS.get(entry) ?? [entry]))
  const names = [...NAMED_NETWORKS.keys()].join(', ')
  return bad(`entry ${wrong + 1} must be an IP address, a network such as 10.0.0.0/8, or one of ${names}`)
}

/** The prefix must have at least one bit: a network of all addresses would be the same as "true". */
function isNetwork(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** Where rows are archived before they are pruned: a folder, or nowhere. */
export type ArchiveTarget = { readonly kind: 'folder'; readonly path: string } | { readonly kind: 'none' }

/** Parses where rows are archived: `file:` and a folder, or `none`. */
export function parseArchive(text: string): Parsed<ArchiveTarget> {
  if (text === 'none') return good({ kind: 'none' })
  const line = parseLine(text)
  if (!line.ok) return line
  const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1]
  return path === undefined || path.startsWith('//')
    ? bad(
        'must be file: and the path of a folder, such as file:/var/archive, or none; an object store can be mounted as a folder',
      )
    : good({ kind: 'folder', path })
}
