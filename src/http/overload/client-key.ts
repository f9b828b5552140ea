import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../access/caller.ts'

/** Key of a client's queue, and the weight of its requests when some must be refused. */
export type ClientKey = { readonly name: string; readonly weight: number }

/** Clients without a token are refused before those with one, at equal numbers. */
const ANONYMOUS_WEIGHT = 2
const KNOWN_WEIGHT = 1

/** Keys by caller, because each request needs one. */
const keys = new WeakMap<Caller, ClientKey>()

/** Returns the key of a caller: by the identity of its token, otherwise by its peer's name. */
export function clientKey(caller: Caller, peerName: () => string): ClientKey {
  const weight = caller.kind === 'client' ? KNOWN_WEIGHT : ANONYMOUS_WEIGHT
  if (caller.kind === 'anonymous' || caller.identity === null) return { name: peerName(), weight }
  const known = keys.get(caller)
  if (known !== undefined) return known
  const key = { name: `caller ${caller.identity}`, weight }
  keys.set(caller, key)
  return key
}

/**
 * Returns the name of a peer: its address, or, if `address` is null because it is shared (a proxy, a router, this machine), its
 * connection, identified by address and port.
 */
export function peerKey(address: string | null, { socket }: IncomingMessage): string {
  return address === null ? `connection ${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}` : `address ${address}`
}
