import { isIP } from 'node:net'
import { type SettingReader, wholeNumber, bad, good, type Parsed } from './read-setting.ts'

/** Limits of one operation, the same over every transport. */
export type OperationLimits = {
  /** Tokens in a document; the parser stops beyond them. */
  readonly tokens: number
  /** Depth of nested fields. */
  readonly depth: number
  /** Aliases, and fields selected more than once in one place. */
  readonly aliases: number
  readonly rootFields: number
  readonly directives: number
  /** Cost by the schema's own `@cost` and `@listSize`. */
  readonly cost: number
  /** Items per page. */
  readonly page: number
  /** Representations in `_entities`. */
  readonly entities: number
  /** Bytes of the variables, as JSON. */
  readonly variableBytes: number
  /** Bytes of an HTTP request body. */
  readonly bodyBytes: number
  /** The limits that differ for `_entities` of a router with its secret. */
  readonly router: RouterOperationLimits
  /** Timeout of a query or mutation in milliseconds. Streams have none. */
  readonly timeoutMs: number
}

export type RouterOperationLimits = {
  /** Representations in `_entities`. */
  readonly entities: number
  /** Cost of `_entities`. The other fields of an operation have `cost`, because a router also forwards what clients write. */
  readonly cost: number
  /** Bytes of an HTTP request body, and of the variables as JSON. */
  readonly bytes: number
}

/** The recursion of the parser and of tree walks needs about four stack frames per token. */
const MOST_TOKENS = 2_000

/** Reads the limits of operations; each setting has a default. */
export function readLimits(reading: SettingReader): OperationLimits {
  const limit = (setting: string, otherwise: number, most = 1_000_000) =>
    reading.read(setting, wholeNumber(1, most), otherwise)
  return {
    tokens: limit('GRAPHQL_MAX_TOKENS', 1_000, MOST_TOKENS),
    depth: limit('GRAPHQL_MAX_DEPTH', 10),
    aliases: limit('GRAPHQL_MAX_ALIASES', 15),
    rootFields: limit('GRAPHQL_MAX_ROOT_FIELDS', 10),
    directives: limit('GRAPHQL_MAX_DIRECTIVES', 10),
    cost: limit('GRAPHQL_MAX_COST', 1_000),
    page: limit('GRAPHQL_MAX_PAGE', 100, 100),
    entities: limit('GRAPHQL_MAX_ENTITIES', 100),
    variableBytes: limit('GRAPHQL_MAX_VARIABLES_BYTES', 50 * 1024, 10 * 1024 * 1024),
    bodyBytes: limit('GRAPHQL_MAX_BODY_BYTES', 100 * 1024, 10 * 1024 * 1024),
    router: {
      entities: limit('GRAPHQL_ROUTER_MAX_ENTITIES', 1_000, 10_000),
      cost: limit('GRAPHQL_ROUTER_MAX_COST', 20_000),
      bytes: limit('GRAPHQL_ROUTER_MAX_BYTES', 1024 * 1024, 10 * 1024 * 1024),
    },
    timeoutMs: limit('GRAPHQL_TIMEOUT_MS', 10_000, 600_000),
  }
}

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

/**
 * Limits of a WebSocket and its peer. For the numbers of sockets, and of streams per token or caller, 0 means no limit. Their descriptions are
 * the table in docs/operations.md.
 */
export type SocketLimits = {
  /** Milliseconds within which a client must initialise the connection; otherwise the socket is closed with 4408. */
  readonly initMs: number
  /** Milliseconds between two pings; a socket whose ping is unanswered when the next is due is closed with 1013. */
  readonly keepAliveMs: number
  /**
   * Bytes of one message, in at most 1,000 fragments; a longer one closes the socket with 1009, by its declared length alone, and more
   * fragments close it with 1008.
   */
  readonly messageBytes: number
  /** Bytes that may be buffered for a peer; above this, reading from the socket pauses. */
  readonly bufferedBytes: number
  /** Milliseconds for which the buffer may exceed that size; then the socket is closed with 1013. */
  readonly bufferedMs: number
  /** Concurrent streams of a socket, and the same number of other operations; the next gets `TOO_MANY_OPERATIONS`, and the socket stays. */
  readonly streams: number
  /**
   * Operations that one socket may start per second, four times as many at once; above this it is closed with 4429, and the official
   * client does not connect again.
   */
  readonly operationsPerSecond: number
  /**
   * Messages, pings and pongs of one socket per second, also before it is initialised, four times as many at once; above this it is
   * closed with 4429.
   */
  readonly messagesPerSecond: number
  /** Bytes of messages of one socket per second, four times as many at once; above this it is closed with 4429. */
  readonly bytesPerSecond: number
  /** Open sockets of an address, for IPv6 of a /64 network; the next is refused at the upgrade, with 429 and Retry-After. */
  readonly perAddress: number
  /** Open sockets of a caller, over all its tokens that name a subject or a client; the next is closed with 1013, and may connect again. */
  readonly perSubject: number
  /**
   * Open streams with one status token, or of the owner of one link or payment, over every transport; the next ends the oldest, with
   * `TOO_MANY_OPERATIONS`.
   */
  readonly streamsPerToken: number
  /**
   * Open streams of a caller, over every transport and all its tokens that name a subject or a client; the next gets
   * `TOO_MANY_OPERATIONS`.
   */
  readonly streamsPerSubject: number
}

export const SOCKET_LIMITS: SocketLimits = {
  initMs: 3_000,
  keepAliveMs: 12_000,
  messageBytes: 64 * 1024,
  bufferedBytes: 1024 * 1024,
  bufferedMs: 10_000,
  streams: 20,
  operationsPerSecond: 50,
  messagesPerSecond: 100,
  bytesPerSecond: 256 * 1024,
  perAddress: 1_000,
  perSubject: 1_000,
  streamsPerToken: 20,
  streamsPerSubject: 10_000,
}

/** A router multiplexes many clients over one socket: all those without a token, or all streams of one token. */
const CLIENTS_OF_ROUTER = 1_000

/** Returns the limits of a socket opened by a router, shared by all its clients. The router has to limit its clients itself. */
export function limitsOfRouter(limits: SocketLimits): SocketLimits {
  const { streams, operationsPerSecond, messagesPerSecond, bytesPerSecond } = limits
  return {
    ...limits,
    streams: streams * CLIENTS_OF_ROUTER,
    operationsPerSecond: operationsPerSecond * CLIENTS_OF_ROUTER,
    messagesPerSecond: messagesPerSecond * CLIENTS_OF_ROUTER,
    bytesPerSecond: bytesPerSecond * CLIENTS_OF_ROUTER,
  }
}

const MAY_BE_ZERO: ReadonlySet<string> = new Set<keyof SocketLimits>([
  'perAddress',
  'perSubject',
  'streamsPerToken',
  'streamsPerSubject',
])
const ENTRY = /^([A-Za-z]+)=(\d{1,9})$/

/** Parses limits by name, such as `streams=50,perAddress=0`; limits that are not named keep their defaults. */
export function parseSocketLimits(text: string): Parsed<SocketLimits> {
  const limits: Record<keyof SocketLimits, number> = { ...SOCKET_LIMITS }
  for (const [index, entry] of text.split(',').entries()) {
    const [, name = '', digits] = ENTRY.exec(entry.trim()) ?? []
    if (!isLimit(name)) return bad(`entry ${index + 1} must be name=number, where name is one of ${NAMES.join(', ')}`)
    const figure = Number(digits)
    if (figure === 0 && !MAY_BE_ZERO.has(name)) return bad(`entry ${index + 1} must be greater than 0`)
    limits[name] = figure
  }
  return good(limits)
}

const NAMES = Object.keys(SOCKET_LIMITS)

function isLimit(name: string): name is keyof SocketLimits {
  return NAMES.includes(name)
}
