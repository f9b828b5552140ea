import { hash } from 'node:crypto'
import type { ClientCaller } from './caller.ts'

/** Cache of tokens whose signature was verified, so that it is not verified on every request. */
export type VerifiedTokens = {
  /** Returns the entry of a token that was verified with this generation of keys, also after its expiry; null for any other token. */
  find(token: string, generation: number): VerifiedToken | null
  remember(token: string, caller: ClientCaller, generation: number): void
  /** Adds a token that had already expired when its signature was verified. `expiresAt` is in milliseconds since the epoch. */
  rememberExpired(token: string, expiresAt: number, generation: number): void
  forget(token: string): void
}

export type VerifiedToken = {
  /** Null if the token had already expired when it was verified. */
  readonly caller: ClientCaller | null
  /** In milliseconds since the epoch. */
  readonly expiresAt: number
  /** Generation of the keys with which it was verified. */
  readonly generation: number
}

const CAPACITY = 10_000

/**
 * Creates a cache of at most `capacity` tokens, 10,000 by default; the one that was verified longest ago is removed first. Expired tokens
 * stay in it, because clients may go on sending them. Digests are stored, not the tokens.
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
