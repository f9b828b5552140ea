import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Claims } from './token.ts'

/** Who is signed in, and how that ends. */
export type Session = {
  readonly token: string
  readonly claims: Claims
  /** Ends the session; the sign-in form then says why. */
  readonly signOut: (reason?: string) => void
}

/** The end of a session whose token the server has refused. */
export const REFUSED = 'The server no longer accepts your token. Sign in with a new one.'

export const SessionContext = createContext<Session | null>(null)

/** The session of the views; throws outside of one. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('Nobody is signed in.')
  return session
}

/** Whether the token carries a scope. */
export function useScope(scope: string): boolean {
  return useSession().claims.scopes.has(scope)
}
