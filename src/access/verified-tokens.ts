import { createHash } from 'node:crypto'
import type { ClientCaller } from './caller.ts'

/** Tokens that were verified lately, so that a busy client's signature is not checked on every request. */
export type VerifiedTokens = {
  /** The caller of a token that was remembered and still counts. */
  find(token: string): ClientCaller | null
  remember(token: string, caller: ClientCaller): void
}

const CAPACITY = 10_000
/** A token is checked anew after this time, since its issuer may have withdrawn the key that signed it. */
const LONGEST_MS = 10 * 60_000

/**
 * Makes a memory of at most 10,000 tokens. A token is forgotten when it expires, after ten minutes, or when it is the
 * oldest and room is needed. Digests are kept, not the tokens. `now` gives milliseconds since the epoch.
 */
export function createVerifiedTokens(now: () => number, capacity: number = CAPACITY): VerifiedTokens {
  const entries = new Map<string, { readonly caller: ClientCaller; readonly since: number }>()
  return {
    find(token) {
      const name = digestOf(token)
      const entry = entries.get(name)
      if (entry === undefined) return null
      const age = now() - entry.since
      if (entry.caller.expiresAt > now() && age >= 0 && age < LONGEST_MS) return entry.caller
      entries.delete(name)
      return null
    },
    remember(token, caller) {
      const name = digestOf(token)
      entries.delete(name)
      entries.set(name, { caller, since: now() })
      if (entries.size <= capacity) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64')
}
