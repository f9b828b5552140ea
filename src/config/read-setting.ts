import { isIP } from 'node:net'

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A parsed value, or a message that continues a sentence that begins with the setting's name. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

export type Parser<Value> = (text: string) => Parsed<Value>

/** Reads the settings and collects every fault. */
export type SettingReader = {
  /** Whether NODE_ENV or UPSTREAM_ENVIRONMENT says production: with real money, nothing is generated for development. */
  readonly production: boolean
  /** Whether the payments API is the built-in sandbox: only for it are keys and tokens generated. */
  readonly builtInSandbox: boolean
  readonly faults: readonly ConfigFault[]
  /** Protections that production was told to switch off. */
  readonly warnings: readonly ConfigFault[]
  /** Returns the text of a setting; null if it is unset or empty. */
  text(setting: string): string | null
  /** Returns the value of a setting; `otherwise` if it is unset or faulty. A fault is recorded. */
  read<Value, Other>(setting: string, parse: Parser<Value>, otherwise: Other): Value | Other
  fault(setting: string, message: string): void
  /** Records that a protection was switched off in production; outside production this gives no warning. */
  warn(setting: string, message: string): void
  /** Records a fault if the setting is unset in production. `how` says what to set. */
  requireInProduction(setting: string, how: string): void
  /** Records a fault if the setting is unset, except with the built-in sandbox. `how` says where to get a key. */
  requireKey(setting: string, how: string): void
}

const PRODUCTION = 'production'

/** Creates the reader of an environment. */
export function startReading(env: Environment): SettingReader {
  const faults: ConfigFault[] = []
  const warnings: ConfigFault[] = []
  const production = env['NODE_ENV'] === PRODUCTION || env['UPSTREAM_ENVIRONMENT'] === PRODUCTION
  const text = (setting: string): string | null => env[setting] || null
  const fault = (setting: string, message: string): void => {
    faults.push({ setting, message })
  }
  const builtInSandbox = !production && text('UPSTREAM_URL') === null
  return {
    production,
    builtInSandbox,
    faults,
    warnings,
    text,
    fault,
    read(setting, parse, otherwise) {
      const given = text(setting)
      if (given === null) return otherwise
      const parsed = parse(given)
      if (parsed.ok) return parsed.value
      fault(setting, parsed.message)
      return otherwise
    },
    warn(setting, message) {
      if (production) warnings.push({ setting, message })
    },
    requireInProduction(setting, how) {
      if (production && text(setting) === null) fault(setting, `is required in production: ${how}`)
    },
    requireKey(setting, how) {
      if (builtInSandbox || text(setting) !== null) return
      const where = production ? 'in production' : 'with UPSTREAM_URL, since only the built-in sandbox generates keys'
      fault(setting, `is required ${where}: ${how}`)
    },
  }
}

/** Returns the result for a valid text. */
export function good<Value>(value: Value): Parsed<Value> {
  return { ok: true, value }
}

/** Returns the result for an invalid text. `message` continues a sentence that begins with the setting's name. */
export function bad(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

/** A fault of one setting. The message never contains the value, which may be a misplaced secret. */
export type ConfigFault = { readonly setting: string; readonly message: string }

/** Returns the faults for the operator, one line each, in the order of the settings. */
export function describeFaults(faults: readonly ConfigFault[]): string {
  return faults.map(({ setting, message }) => `${setting} ${message}`).join('\n')
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

/** Parses a text of one line without white space at its ends. */
export function parseLine(text: string): Parsed<string> {
  if (CONTROL.test(text)) return bad('must not contain control characters, such as a line break')
  return text.trim() === text ? good(text) : bad('must not begin or end with white space')
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i

/** Returns whether a URL's host name is loopback. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

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

/** Parses the address of a proxy, which may have credentials; without a scheme it is an http address, as for other programs. */
export function parseProxy(text: string): Parsed<string> {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return bad('must be the address of an HTTP proxy, such as http://proxy:3128')
  return good(url.href)
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
