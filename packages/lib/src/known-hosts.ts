import type { IncomingMessage } from 'node:http'

/** Whether a request was made to a name of this server. */
export type HostCheck = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => boolean

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/** Returns whether a URL's host name, or an IP address, is of this machine alone, where plain http is safe. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host)
}

/**
 * Returns the check that requests name this machine, or one of `names`, as their host. With DNS rebinding, a foreign name resolves to this
 * machine: a browser then gives the page of that name our answers. Rebinding needs a name, so the address that the client connected to is
 * trusted. A proxy may have replaced the name, so that a page of a known name is trusted too: no page can choose its own Origin. Browsers
 * always name a host.
 */
export function createHostCheck(names: readonly string[]): HostCheck {
  const known = new Set(names.map((name) => bareHost(name.toLowerCase())))
  const isKnown = (url: string, address = '') => {
    const name = bareHost(URL.parse(url)?.hostname ?? '')
    const isOurs = isLoopbackHost(name) || name.endsWith('.localhost') || known.has(name)
    return isOurs || (name !== '' && name === address.replace(/^::ffff:/, '').split('%', 1)[0])
  }
  return ({ headers: { host = '', origin }, socket: { localAddress } }) =>
    host === '' || isKnown(`http://${host}`, localAddress) || (origin !== undefined && isKnown(origin, localAddress))
}

/** Returns a URL's host name as settings write it: IPv6 without brackets, and a fully qualified name without its last dot. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|[\].]$/g, '')
}
