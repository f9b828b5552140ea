import { BlockList, isIP, SocketAddress } from 'node:net'

/** Digits of an IPv6 address that tell one subscriber: the rest of its /64 is for the subscriber to choose. */
const IPV6_GROUPS = 4
const MAPPED = '::ffff:'

/**
 * The name under which a peer is counted: its IPv4 address, however it is written, or the first half of its IPv6 address.
 * What is no address, because a proxy has passed on somebody's own words, is counted together as one peer.
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

/** Tells whether an address lies in one of these networks, each an address with or without a prefix. */
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

/** Tells whether an address is this machine's own. */
export const isLoopback = createNetworkCheck(['127.0.0.0/8', '::1'])

/** All eight groups of an address in its shortest form (RFC 5952). */
function groupsOf(canonical: string): string[] {
  const [before = '', after] = canonical.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
}
