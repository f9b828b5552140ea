import type { Caller } from '../../access/caller.ts'

/** Under which name a client's requests are counted, and how much each of them counts when some must be refused. */
export type ClientKey = { readonly name: string; readonly weight: number }

/** A client that showed no token is refused before one that did, at equal numbers. */
const ANONYMOUS_WEIGHT = 2
const KNOWN_WEIGHT = 1

/**
 * The subject of the token; without one the address; and where that is nobody's, being that of a proxy, a router or this
 * machine, the connection. `address` is null there.
 */
export function clientKey(caller: Caller, address: string | null, connection: string): ClientKey {
  const weight = caller.kind === 'client' ? KNOWN_WEIGHT : ANONYMOUS_WEIGHT
  if (caller.kind === 'client' && caller.identity !== null) return { name: `caller ${caller.identity}`, weight }
  return { name: address === null ? `connection ${connection}` : `address ${address}`, weight }
}
