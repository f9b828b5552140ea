import type { TokenSource } from './endpoint.ts'

/** The caller's token, as long as it holds. */
export type Tokens = {
  /** The one that is held, or a new one when there is none. Rejects when it cannot be had. */
  get(): Promise<string | null>
  /** A new one, whether or not one is held. */
  renew(): Promise<string | null>
  /** Forgets a token that was refused; false when there cannot be another. */
  refused(): boolean
}

/** Milliseconds before the end of a token at which the next one is asked for. */
const MARGIN_MS = 30_000
/** The longest delay of a timer, in milliseconds. */
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
 * Milliseconds until a token should be renewed: half a minute before its end, or when four fifths of the rest are over. Null
 * for one that tells no end, and for one that is over by this clock: the server's own clock will tell.
 */
export function renewalMs(token: string | null, now: number): number | null {
  const expiry = token === null ? null : expiryOf(token)
  if (expiry === null || expiry <= now) return null
  const left = expiry - now
  return Math.min(Math.max(left - MARGIN_MS, left * 0.8), LONGEST_MS)
}

/** The end of a JSON Web Token, in milliseconds since the epoch; null for what is none, or has none. */
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
