import { BlockList, isIP, SocketAddress } from 'node:net'

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
