import type { IncomingMessage } from 'node:http'
import { type Socket, isIP, BlockList, SocketAddress } from 'node:net'
import { LRUCache } from 'lru-cache'
import { bearerToken, ANONYMOUS, type Caller, InvalidTokenError } from '../../access/caller.ts'
import type { VerifiedToken, TokenVerifier } from '../../access/verify-token.ts'
import type { Config } from '../../config.ts'
import { isOneOf } from '../../keys/key-ring.ts'
import { countHeaderLines } from './direct-answers.ts'

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

/** Marks the connection of a trusted proxy. */
const PROXY = Symbol('a trusted proxy')
/** Recent X-Forwarded-For headers of which the client is kept, and the longest of them. */
const MAX_HEADERS = 1_000
const MAX_CHARACTERS = 256

/**
 * Returns the client's IPv4 address, or its /64 network of IPv6, since one subscriber has a whole /64. X-Forwarded-For is read from its
 * last entry backwards, as long as the entries are trusted proxies. Null if the address is shared: that of a proxy itself, or of this
 * machine, where an unnamed proxy may run. Evaluated once per connection and, of a trusted proxy, once per recent header.
 */
export function createAddressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string | null {
  const isTrusted = createNetworkCheck(trustedProxies)
  const direct = new WeakMap<Socket, string | null | typeof PROXY>()
  const recent = new LRUCache<string, { readonly name: string | null }>({ max: MAX_HEADERS })
  const peerOf = (socket: Socket) => {
    const known = direct.get(socket)
    if (known !== undefined) return known
    const address = plainAddress(socket.remoteAddress ?? '')
    const peer = isTrusted(address ?? '') ? PROXY : nameOf(address, isTrusted)
    direct.set(socket, peer)
    return peer
  }
  return ({ socket, headers }) => {
    const peer = peerOf(socket)
    if (peer !== PROXY) return peer
    // Several lines are one, joined by commas.
    const header = String(headers['x-forwarded-for'] ?? '')
    const known = recent.get(header)
    if (known !== undefined) return known.name
    const name = nameOf(clientIn(header.split(','), isTrusted), isTrusted)
    if (header.length <= MAX_CHARACTERS) recent.set(header, { name })
    return name
  }
}

/** Returns the reader of the name under which the client of a request is counted, also if others share it. */
export function createPeerReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createNetworkCheck(trustedProxies)
  return ({ socket: { remoteAddress }, headers }) => {
    const address = plainAddress(remoteAddress ?? '') ?? ''
    if (!isTrusted(address)) return peerName(address)
    const hops = String(headers['x-forwarded-for'] ?? address).split(',')
    return peerName(clientIn(hops, isTrusted) ?? undefined)
  }
}

type NetworkCheck = ReturnType<typeof createNetworkCheck>

/** Returns the last of the addresses in X-Forwarded-For that is not a trusted proxy. */
function clientIn(hops: string[], isTrusted: NetworkCheck): string | null {
  let address = plainAddress(hops.pop() ?? '')
  while (address !== null && isTrusted(address) && hops.length > 0) address = plainAddress(hops.pop() ?? '')
  return address
}

function nameOf(address: string | null, isTrusted: NetworkCheck): string | null {
  return address === null || isTrusted(address) || isLoopback(address) ? null : peerName(address)
}

/** Returns an address without port, brackets and zone, with IPv4 in its own form; null if the text is not an address. */
function plainAddress(text: string): string | null {
  const trimmed = text.trim()
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = (bare.split('%', 1)[0] ?? '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? null : address
}

/** Leading hex digits of an IPv6 address that identify a subscriber: a /64 network. The subscriber chooses the rest. */
const IPV6_GROUPS = 4
const MAPPED = '::ffff:'

/**
 * Returns the name under which a peer is counted: its IPv4 address in one spelling, or the /64 network of its IPv6 address. Texts
 * that are not addresses, which a proxy has passed on from a client, are counted together as one peer.
 */
export function peerName(address: string | undefined): string {
  const given = address ?? ''
  const version = isIP(given)
  if (version === 4) return given
  if (version === 0) return 'unknown'
  const canonical = new SocketAddress({ address: given, family: 'ipv6' }).address
  const mapped = canonical.startsWith(MAPPED) ? canonical.slice(MAPPED.length) : ''
  return isIP(mapped) === 4 ? mapped : `${groupsOf(canonical).slice(0, IPV6_GROUPS).join(':')}::/64`
}

/** Returns a check of whether an address is in one of these networks, each an address with or without a prefix length. */
export function createNetworkCheck(networks: readonly string[]): (address: string | undefined) => boolean {
  if (networks.length === 0) return () => false
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address = '') => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/** Returns whether an address is a loopback address. */
export const isLoopback = createNetworkCheck(['127.0.0.0/8', '::1'])

/** Returns all eight groups of an IPv6 address in its shortest form (RFC 5952). */
function groupsOf(canonical: string): string[] {
  const [before = '', after] = canonical.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
}

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
