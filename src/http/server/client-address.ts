import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { createNetworkCheck, isLoopback, peerName } from './peer-name.ts'

/**
 * Returns the client's IPv4 address, or its /64 network of IPv6, since one subscriber has a whole /64. X-Forwarded-For is read from its
 * last entry backwards, as long as the entries are trusted proxies. Null if the address is shared: that of a proxy itself, or of this
 * machine, where an unnamed proxy may run. Evaluated once per connection, and for each request of a trusted proxy.
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

/** Returns the last address in X-Forwarded-For that is not a trusted proxy. */
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

/** Returns an address without port, brackets and zone, with IPv4 in its own form; null if the text is not an address. */
function plainAddress(text: string): string | null {
  const trimmed = text.trim()
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = (bare.split('%', 1)[0] ?? '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? null : address
}
