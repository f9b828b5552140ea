import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Claims } from './token.ts'

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
