import { isIP } from 'node:net'
import { bad, good, type Parsed, type SettingReader } from './read-setting.ts'
import { wholeNumber } from './values.ts'

/** What peers may ask of the HTTP server, and whose word about them is taken. */
export type HttpLimits = {
  /** Addresses and networks of our own proxies, whose X-Forwarded-For is believed. Without names, with prefixes in CIDR form. */
  readonly trustProxy: readonly string[]
  /** Connections that one address may have open; 0 sets no limit. Those of proxies, routers and this machine do not count. */
  readonly connectionsPerAddress: number
  /** Requests of one address and minute whose credentials may be wrong before they are sent away early. */
  readonly failedAuthentications: number
  /** Queries that may be under way at once, and a quarter as many mutations; half of each of one client. More wait. */
  readonly graphqlInFlight: number
}

/** More than the subscribers behind one address of a carrier have open with one service at a time. */
const CONNECTIONS = 2_000

/** Networks that have a name (RFC 1122, RFC 3927, RFC 1918, RFC 4193). */
const NAMED_NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/** The limits of the HTTP server, each a setting with a default. */
export function readHttpLimits(reading: SettingReader): HttpLimits {
  return {
    trustProxy: reading.read('TRUST_PROXY', parseProxies, []),
    connectionsPerAddress: reading.read('MAX_CONNECTIONS_PER_ADDRESS', wholeNumber(0, 1_000_000), CONNECTIONS),
    failedAuthentications: reading.read('MAX_FAILED_AUTHENTICATIONS', wholeNumber(1, 1_000_000), 60),
    graphqlInFlight: reading.read('GRAPHQL_MAX_IN_FLIGHT', wholeNumber(1, 100_000), 512),
  }
}

/**
 * A comma-separated list of addresses, networks in CIDR form, and names of networks. Neither "true" nor a number of hops
 * is taken: both would believe whatever anybody writes who reaches us without the proxy.
 */
function parseProxies(text: string): Parsed<readonly string[]> {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.findIndex((entry) => !NAMED_NETWORKS.has(entry) && !isNetwork(entry))
  if (wrong === -1) return good(entries.flatMap((entry) => NAMED_NETWORKS.get(entry) ?? [entry]))
  const names = [...NAMED_NETWORKS.keys()].join(', ')
  return bad(`entry ${wrong + 1} must be an IP address, a network such as 10.0.0.0/8, or one of ${names}`)
}

/** A network of every address there is would be "true" by another name, so its prefix has at least one bit. */
function isNetwork(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}
