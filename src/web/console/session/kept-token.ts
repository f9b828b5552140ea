import { claimsOf } from './token.ts'

/** Everything that the console keeps lies in the tab's session storage, under this prefix, and goes with the tab. */
const PREFIX = 'console.'
const TOKEN = `${PREFIX}token`

export type FoundTokens = {
  /** The token of this tab; null when nobody is signed in. */
  readonly token: string | null
  /** The token of somebody else, that came with the address and replaces nothing before somebody has said so. */
  readonly offered: string | null
}

/**
 * The tokens that there are: the one that is kept, and that of the fragment `#token=`, which is read once and taken out of the
 * address. The latter signs in where nobody is signed in with a token that can be read and has not expired.
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

/** The token in the fragment of the address; null when there is none. */
export function givenToken(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}

/** Keeps the token until the tab ends, and nothing that was read or begun with another one. */
export function keepToken(token: string): void {
  forgetAll()
  sessionStorage.setItem(TOKEN, token)
}

function isLive(token: string | null): boolean {
  const claims = token === null ? null : claimsOf(token)
  return claims !== null && claims.expiresAt > Date.now()
}

/** Forgets the token, and everything that was read with it. */
export function forgetAll(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}

/** What was kept under a name as JSON; null where there is nothing that can be read. */
export function readKept(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null')
  } catch {
    return null
  }
}

/** Keeps a value as JSON until the tab ends or its session does; null forgets it. Where there is no room, nothing is kept. */
export function keep(name: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(PREFIX + name)
    else sessionStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    sessionStorage.removeItem(PREFIX + name)
  }
}
