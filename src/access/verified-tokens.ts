import { createHash } from 'node:crypto'
import type { ClientCaller } from './caller.ts'

/** Tokens that were verified lately, so that a busy client's signature is not checked on every request. */
export type VerifiedTokens = {
  /** The caller of a token that was verified within the last ten minutes and has not expired. */
  find(token: string): ClientCaller | null
  /** The caller of a token that was verified at any time and has not expired: for as long as nothing better is known. */
  recall(token: string): ClientCaller | null
  remember(token: string, caller: ClientCaller): void
  forget(token: string): void
}

const CAPACITY = 10_000
/** A token is checked anew after this time, since its issuer may have withdrawn the key that signed it. */
const LONGEST_MS = 10 * 60_000

/**
 * Makes a memory of at most 10,000 tokens. A token is forgotten when it is asked for after its expiry, or when it is the
 * one that was verified longest ago and room is needed. Digests are kept, not the tokens. `now` gives milliseconds since
 * the epoch.
 */
export function createVerifiedTokens(now: () => number, capacity: number = CAPACITY): VerifiedTokens {
  const entries = new Map<string, { readonly caller: ClientCaller; readonly since: number }>()

  const unexpired = (name: string) => {
    const entry = entries.get(name)
    if (entry === undefined || entry.caller.expiresAt > now()) return entry
    entries.delete(name)
    return undefined
  }

  return {
    find(token) {
      const entry = unexpired(digestOf(token))
      if (entry === undefined) return null
      const age = now() - entry.since
      return age >= 0 && age < LONGEST_MS ? entry.caller : null
    },
    recall: (token) => unexpired(digestOf(token))?.caller ?? null,
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
    forget: (token) => void entries.delete(digestOf(token)),
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64')
}
