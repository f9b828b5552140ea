import { isIP } from 'node:net'
import { bad, good, type Parsed, type SettingReader, wholeNumber } from './read-setting.ts'

/** Limits of the HTTP server, and the proxies that it trusts. */
export type HttpLimits = {
  /** Addresses and networks (in CIDR form, names resolved) of our own proxies, whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[]
  /** Maximum number of open connections per address; 0 for no limit. Proxies, routers and loopback are exempt. */
  readonly connectionsPerAddress: number
  /** Failed authentications per address and minute, beyond which requests are rejected early. */
  readonly failedAuthentications: number
  /**
   * Maximum number of concurrent queries; mutations have a quarter of it, and one client gets at most half of each. Further ones
   * wait.
   */
  readonly graphqlInFlight: number
}

/** More than the subscribers behind one address of a mobile carrier have open with one server at a time. */
const CONNECTIONS = 2_000

/** Named networks (RFC 1122, RFC 3927, RFC 1918, RFC 4193). */
const NAMED_NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/** Reads the limits of the HTTP server; each setting has a default. */
export function readHttpLimits(reading: SettingReader): HttpLimits {
  return {
    trustProxy: reading.read('TRUST_PROXY', parseProxies, []),
    connectionsPerAddress: reading.read('MAX_CONNECTIONS_PER_ADDRESS', wholeNumber(0, 1_000_000), CONNECTIONS),
    failedAuthentications: reading.read('MAX_FAILED_AUTHENTICATIONS', wholeNumber(1, 1_000_000), 60),
    graphqlInFlight: reading.read('GRAPHQL_MAX_IN_FLIGHT', wholeNumber(1, 100_000), 512),
  }
}

/**
 * Parses a comma-separated list of addresses, networks in CIDR form, and names of networks. Rejects "true" and a number of hops:
 * both would trust a header from any client that reaches us without the proxy.
 */
function parseProxies(text: string): Parsed<readonly string[]> {
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
