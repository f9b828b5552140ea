import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../access/caller.ts'

/** Under which name a client's requests are counted, and how much each of them counts when some must be refused. */
export type ClientKey = { readonly name: string; readonly weight: number }

/** A client that showed no token is refused before one that did, at equal numbers. */
const ANONYMOUS_WEIGHT = 2
const KNOWN_WEIGHT = 1

/** Of callers whose tokens are remembered: each of their requests asks for it. */
const keys = new WeakMap<Caller, ClientKey>()

/** The key of a caller by the identity of its token; without one by the name of its peer, which is asked for only then. */
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
 * The name of a peer: its address, or where that is nobody's, being that of a proxy, a router or this machine, its connection.
 * `address` is null there. Two connections of a proxy are told apart by its ports.
 */
export function peerKey(address: string | null, { socket }: IncomingMessage): string {
  return address === null ? `connection ${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}` : `address ${address}`
}
