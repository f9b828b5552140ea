import type { TokenSource } from './graph-endpoint.ts'

/** Caches the caller's token while it is valid. */
export type Tokens = {
  /** Returns the cached token, or a new one when there is none. Rejects when no token can be obtained. */
  get(): Promise<string | null>
  /** Requests a new token, even if one is cached. */
  renew(): Promise<string | null>
  /** Discards a rejected token. Returns false when no other token can be obtained. */
  refused(): boolean
}

/** The next token is requested this many milliseconds before a token expires. */
const MARGIN_MS = 30_000
/** The maximum delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

export function createTokens(source: TokenSource | undefined): Tokens {
  if (typeof source !== 'function') {
    const token = source ?? null
    return { get: async () => token, renew: async () => token, refused: () => false }
  }
  let held: Promise<string | null> | null = null
  const renew = () => {
    const asked = Promise.resolve().then(source)
    held = asked
    asked.catch(() => {
      if (held === asked) held = null
    })
    return asked
  }
  return {
    get: () => held ?? renew(),
    renew,
    refused: () => {
      held = null
      return true
    },
  }
}

/**
 * Milliseconds until a token should be renewed: half a minute before its expiry, or after four fifths of its remaining
 * lifetime. Null for a token without expiry, and for one that has expired by this clock: the server's own clock decides.
 */
export function renewalMs(token: string | null, now: number): number | null {
  const expiry = token === null ? null : expiryOf(token)
  if (expiry === null || expiry <= now) return null
  const left = expiry - now
  return Math.min(Math.max(left - MARGIN_MS, left * 0.8), LONGEST_MS)
}

/** Expiry of a JSON Web Token, in milliseconds since the epoch; null when the text is not a JWT or has no expiry. */
export function expiryOf(token: string): number | null {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims: unknown = JSON.parse(atob(body))
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : null
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : null
  } catch {
    return null
  }
}
