import type { IncomingMessage } from 'node:http'
import { isIP, BlockList, SocketAddress } from 'node:net'
import { LRUCache } from 'lru-cache'
import proxyAddr from 'proxy-addr'

/** Under which address the client of a request counts. */
export type ClientAddresses = {
  /** Returns the client's address; null if it is shared: that of a proxy itself, or of this machine, where an unnamed proxy may run. */
  addressOf(request: IncomingMessage): string | null
  /** The same, also if others share it. */
  peerOf(request: IncomingMessage): string
}

/** Recent clients that are kept, and the longest X-Forwarded-For of them. */
const MAX_CLIENTS = 10_000
const MAX_CHARACTERS = 256

/**
 * Creates the readers of the client's IPv4 address, or its /64 network of IPv6, since one subscriber has a whole /64. X-Forwarded-For is read from
 * its last entry backwards, as long as the entries are trusted proxies.
 */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const isTrusted = createNetworkCheck(trustedProxies)
  const recent = new LRUCache<string, { readonly name: string; readonly isShared: boolean }>({ max: MAX_CLIENTS })
  const clientOf = (request: IncomingMessage) => {
    const { remoteAddress = '' } = request.socket
    const isProxy = isTrusted(plainAddress(remoteAddress) ?? '')
    const key = isProxy ? `${remoteAddress} ${String(request.headers['x-forwarded-for'])}` : remoteAddress
    const known = recent.get(key)
    if (known !== undefined) return known
    const last = isProxy ? proxyAddr(request, (hop) => isTrusted(plainAddress(hop ?? '') ?? '')) : remoteAddress
    const address = plainAddress(last ?? '')
    const isShared = address === null || isTrusted(address) || isLoopback(address)
    const client = { name: peerName(address ?? ''), isShared }
    if (key.length <= MAX_CHARACTERS) recent.set(key, client)
    return client
  }
  return {
    addressOf(request) {
      const { name, isShared } = clientOf(request)
      return isShared ? null : name
    },
    peerOf: (request) => clientOf(request).name,
  }
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
