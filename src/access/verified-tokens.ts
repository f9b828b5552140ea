import { hash } from 'node:crypto'
import type { ClientCaller } from './caller.ts'

/** Tokens whose signature was verified, so that it is not verified again on every request. */
export type VerifiedTokens = {
  /** The caller of a token that was verified with this generation of keys, `expired` after its end, null when unknown. */
  find(token: string, generation: number): ClientCaller | 'expired' | null
  remember(token: string, caller: ClientCaller, generation: number): void
  /** Remembers a token that had expired when its signature was verified. `expiresAt` is in milliseconds since the epoch. */
  rememberExpired(token: string, expiresAt: number, generation: number): void
  forget(token: string): void
}

type Entry = { readonly caller: ClientCaller | null; readonly expiresAt: number; readonly generation: number }

const CAPACITY = 10_000

/**
 * Creates a cache of at most 10,000 tokens; the one that was verified longest ago is removed first. Expired tokens stay in
 * it, because clients send them until they notice. Digests are kept, not the tokens. `now` gives milliseconds since the
 * epoch.
 */
export function createVerifiedTokens(now: () => number, capacity: number = CAPACITY): VerifiedTokens {
  const entries = new Map<string, Entry>()

  const put = (token: string, entry: Entry) => {
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
      if (entry?.generation !== generation) return null
      return entry.expiresAt <= now() ? 'expired' : entry.caller
    },
    remember: (token, caller, generation) => put(token, { caller, expiresAt: caller.expiresAt, generation }),
    rememberExpired: (token, expiresAt, generation) => put(token, { caller: null, expiresAt, generation }),
    forget: (token) => void entries.delete(digestOf(token)),
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}
