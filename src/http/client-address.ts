import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createNetworkCheck, isLoopback, peerName } from './peer.ts'

/**
 * Whose connection it is: an IPv4 address, or a network of IPv6 of 64 bits, since a single subscriber has one. What a
 * trusted proxy has written into X-Forwarded-For is believed, from its last entry on, as far as trusted proxies reach. Null
 * where it is nobody's: the address of a proxy itself, or of this machine, where a proxy that nobody named may run.
 */
export function createAddressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string | null {
  const isTrusted = createNetworkCheck(trustedProxies)
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? '')
    // All headers are read again for the distinct ones: only where they are believed.
    const hops = isTrusted(address ?? '') ? forwardedFor(request) : []
    while (address !== null && isTrusted(address) && hops.length > 0) address = plainAddress(hops.pop() ?? '')
    if (address === null || isTrusted(address) || isLoopback(address)) return null
    return peerName(address)
  }
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
