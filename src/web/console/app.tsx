import { Provider } from '@urql/preact'
import { useCallback, useMemo, useState } from 'preact/hooks'
import { Console } from './console.tsx'
import { createGraphqlClient } from './session/graphql-client.ts'
import { findToken, forgetAll, keepToken } from './session/kept-token.ts'
import { REFUSED, SessionContext, type Session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { claimsOf } from './session/token.ts'
import { useExpiry } from './session/use-expiry.ts'

const EXPIRED = 'Your token has expired. Sign in with a new one.'

/** The console for whoever is signed in, and the sign-in form for everyone else. */
export function App() {
  const [token, setToken] = useState(findToken)
  const [reason, setReason] = useState<string | null>(null)

  const signIn = (given: string) => {
    keepToken(given)
    setReason(null)
    setToken(given)
  }
  const signOut = useCallback((why: string | null = null) => {
    forgetAll()
    setReason(why)
    setToken(null)
  }, [])

  const claims = useMemo(() => (token === null ? null : claimsOf(token)), [token])
  useExpiry(claims?.expiresAt ?? null, () => signOut(EXPIRED))
  const client = useMemo(
    () => (token === null ? null : createGraphqlClient(token, () => signOut(REFUSED))),
    [token, signOut],
  )
  const session = useMemo<Session | null>(
    () => (token === null || claims === null ? null : { token, claims, signOut }),
    [token, claims, signOut],
  )
  if (session === null || client === null) return <SignIn reason={reason} onToken={signIn} />
  return (
    <SessionContext.Provider value={session}>
      <Provider value={client}>
        <Console />
      </Provider>
    </SessionContext.Provider>
  )
}
