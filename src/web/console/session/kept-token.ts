import { claimsOf } from './token.ts'

/** Prefix of all keys that the console writes to the tab's session storage, which the browser deletes with the tab. */
const PREFIX = 'console.'
const TOKEN = `${PREFIX}token`

export type FoundTokens = {
  /** The token of this tab; null when no user is signed in. */
  readonly token: string | null
  /** A token of another user from the URL; it replaces the session's token only after confirmation. */
  readonly offered: string | null
}

/**
 * Returns the stored token, and the one of the fragment `#token=`, which is read once and removed from the URL. The latter
 * becomes the session's token unless the stored one can be decoded and has not expired; then it is only offered.
 */
export function findTokens(): FoundTokens {
  const kept = sessionStorage.getItem(TOKEN)
  const given = givenToken()
  if (given === null) return { token: kept, offered: null }
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  if (given === kept) return { token: kept, offered: null }
  if (isLive(kept)) return { token: kept, offered: isLive(given) ? given : null }
  keepToken(given)
  return { token: given, offered: null }
}

/** Returns the token in the URL's fragment; null when there is none. */
export function givenToken(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}

/** Stores the token until the tab closes, and discards everything that was stored with another token. */
export function keepToken(token: string): void {
  forgetAll()
  sessionStorage.setItem(TOKEN, token)
}

function isLive(token: string | null): boolean {
  const claims = token === null ? null : claimsOf(token)
  return claims !== null && claims.expiresAt > Date.now()
}

/** Removes the token, and everything that was stored with it. */
export function forgetAll(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}

/** Returns a stored value, parsed as JSON; null when there is none or it cannot be parsed. */
export function readKept(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value as JSON until the tab closes or the session ends; null removes it. Does nothing when the storage is full. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    sessionStorage.removeItem(PREFIX + name)
  }
}
