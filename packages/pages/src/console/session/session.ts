import type { PaymentsEndpoint } from 'payments-subgraph-client'
import { createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import { keep, kept, ofTab } from '../../storage.ts'

/** The signed-in user, and how to sign out. */
export type Session = {
  readonly token: string
  readonly claims: Claims
  /** Ends the session; the sign-in form then shows the reason. */
  readonly signOut: (reason?: string) => void
}

/** Message after the server rejected the session's token. */
export const REFUSED = 'The server no longer accepts your token. Sign in with a new one.'

export const SessionContext = createContext<Session | null>(null)

/** Returns the session of the views; throws outside of a session. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('Nobody is signed in.')
  return session
}

/** Whether the session's token has a scope. */
export function useScope(scope: string): boolean {
  return useSession().claims.scopes.has(scope)
}

/** Returns the endpoint for streams: the page's own origin, with the session's token. */
export function endpointOf({ token }: Pick<Session, 'token'>): PaymentsEndpoint {
  return { url: new URL('/graphql', location.href).href, token }
}

/** Prefix of all keys that the console writes to the tab's session storage, which the browser deletes with the tab. */
const PREFIX = 'console.'
/** Removes everything that was stored during a session. */
export function forgetAll(): void {
  ofTab.removeAll(PREFIX)
}

/** Returns a stored value, parsed as JSON; null when there is none or it cannot be parsed. */
export function readKept(name: string): unknown {
  return kept(ofTab, PREFIX + name)
}

/** Stores a value as JSON until the tab closes or the session ends; null removes it. */
export function keepInSession(name: string, value: unknown): void {
  if (value === null) ofTab.removeItem(PREFIX + name)
  else keep(ofTab, PREFIX + name, value)
}

/** The claims of a client token. They are decoded here and verified by the server. */
export type Claims = {
  readonly subject: string | null
  readonly scopes: ReadonlySet<string>
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Decodes a token without checking its signature; null when it is not a JWT or has no expiry. */
export function claimsOf(token: string): Claims | null {
  const payload = payloadOf(token)
  if (payload === null || typeof payload['exp'] !== 'number') return null
  const subject = payload['sub']
  return {
    subject: typeof subject === 'string' ? subject : null,
    scopes: new Set(scopesIn(payload)),
    expiresAt: payload['exp'] * 1000,
  }
}

/** Removes what users often copy along with a token: a word, white space, and invisible characters. */
export function tidyToken(text: string): string {
  return text
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replace(/^bearer\s+/i, '')
}

function payloadOf(token: string): Record<string, unknown> | null {
  const part = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token)?.[1]
  if (part === undefined) return null
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const payload: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const SCOPE = /(?:payments|agreements|payouts|customers|balances|banks|webhooks|sandbox):[a-z]+$/

/**
 * Returns the scopes that any claim contains, with or without a prefix. Which claims count is a setting of the server; it refuses what the
 * others would allow. `depth` is how far claims may be nested.
 */
function scopesIn(claim: unknown, depth = 5): string[] {
  if (typeof claim === 'string') return claim.split(' ').flatMap((word) => SCOPE.exec(word)?.[0] ?? [])
  if (typeof claim !== 'object' || claim === null || depth === 0) return []
  return Object.values(claim).flatMap((part) => scopesIn(part, depth - 1))
}

/** The maximum delay of a browser timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Calls `action` at an instant, in milliseconds since the epoch; also for instants beyond the maximum delay of a timer. */
export function useExpiry(expiresAt: number | null, action: () => void): void {
  useEffect(() => {
    if (expiresAt === null) return undefined
    let timer = 0
    const wait = () => {
      const left = expiresAt - Date.now()
      if (left <= 0) action()
      else timer = window.setTimeout(wait, Math.min(left, LONGEST_MS))
    }
    wait()
    return () => window.clearTimeout(timer)
  }, [expiresAt])
}
