import { hash } from 'node:crypto'
import type { ClientCaller } from './caller.ts'

/** A cache of tokens with a verified signature, so that it is not verified again for every request. */
export type VerifiedTokens = {
  /** Returns what is known about a token that was verified with this generation of keys, also after its expiry; null for any other. */
  find(token: string, generation: number): VerifiedToken | null
  remember(token: string, caller: ClientCaller, generation: number): void
  /** Caches a token that had expired when its signature was verified. `expiresAt` is in milliseconds since the epoch. */
  rememberExpired(token: string, expiresAt: number, generation: number): void
  forget(token: string): void
}

export type VerifiedToken = {
  /** Null when the token had expired before it was verified. */
  readonly caller: ClientCaller | null
  /** In milliseconds since the epoch. */
  readonly expiresAt: number
  /** Generation of the keys that verified it. */
  readonly generation: number
}

const CAPACITY = 10_000

/**
 * Creates a cache of at most 10,000 tokens; the one that was verified longest ago is evicted first. Expired tokens stay in it, because
 * clients continue to send them for a while. It contains digests, not tokens.
 */
export function createVerifiedTokens(capacity: number = CAPACITY): VerifiedTokens {
  const entries = new Map<string, VerifiedToken>()

  const put = (token: string, entry: VerifiedToken) => {
    const name = digestOf(token)
    entries.delete(name)
    entries.set(name, entry)
    if (entries.size <= capacity) return
    for (const oldest of entries.keys()) {
      entries.delete(oldest)
      return
    }
  }

  return {
    find(token, generation) {
      const entry = entries.get(digestOf(token))
      return entry?.generation === generation ? entry : null
    },
    remember: (token, caller, generation) => put(token, { caller, expiresAt: caller.expiresAt, generation }),
    rememberExpired: (token, expiresAt, generation) => put(token, { caller: null, expiresAt, generation }),
    forget: (token) => void entries.delete(digestOf(token)),
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}
