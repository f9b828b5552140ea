import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { createNetworkCheck, isLoopback, peerName } from './peer-name.ts'

/**
 * Whose connection it is: an IPv4 address, or a network of IPv6 of 64 bits, since a single subscriber has one. What a
 * trusted proxy has written into X-Forwarded-For is believed, from its last entry on, as far as trusted proxies reach. Null
 * where it is nobody's: the address of a proxy itself, or of this machine, where a proxy that nobody named may run. It is read
 * once for each connection, and for each request of a trusted proxy.
 */
export function createAddressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string | null {
  const isTrusted = createNetworkCheck(trustedProxies)
  const direct = new WeakMap<Socket, string | null>()
  return (request) => {
    const { socket } = request
    const known = direct.get(socket)
    if (known !== undefined) return known
    const peer = plainAddress(socket.remoteAddress ?? '')
    if (isTrusted(peer ?? '')) return nameOf(clientBehind(peer, forwardedFor(request), isTrusted), isTrusted)
    const name = nameOf(peer, isTrusted)
    direct.set(socket, name)
    return name
  }
}

type NetworkCheck = ReturnType<typeof createNetworkCheck>

/** The last address that trusted proxies have seen, given what they have written. */
function clientBehind(proxy: string | null, hops: string[], isTrusted: NetworkCheck): string | null {
  let address = proxy
  while (address !== null && isTrusted(address) && hops.length > 0) address = plainAddress(hops.pop() ?? '')
  return address
}

function nameOf(address: string | null, isTrusted: NetworkCheck): string | null {
  return address === null || isTrusted(address) || isLoopback(address) ? null : peerName(address)
}

function forwardedFor({ headersDistinct }: IncomingMessage): string[] {
  return (headersDistinct['x-forwarded-for'] ?? []).join(',').split(',')
}

/** An address without port, brackets and zone; one of IPv4 as such, however it came. Null when it is none. */
function plainAddress(text: string): string | null {
  const trimmed = text.trim()
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = (bare.split('%', 1)[0] ?? '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? null : address
}
