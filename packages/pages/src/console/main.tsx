import './console.css'
import { Provider } from '@urql/preact'
import { render } from 'preact'
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { endSession, keepSession, type OpenedSession, openSession } from '../session.ts'
import { surviveTranslation } from '../translation.ts'
import { Console } from './console.tsx'
import { Sprite } from './pieces/icons.tsx'
import { followPlaces } from './routes/places.ts'
import { forgetAll, REFUSED, SessionContext, type Session, claimsOf, useExpiry } from './session/session.ts'
import { createGraphqlClient, SignIn } from './session/sign-in.tsx'
import { applyPreferences } from './shell/preferences.ts'

surviveTranslation()
applyPreferences()
followPlaces()
const root = document.querySelector('#app')
const begun = await openSession()
if (root !== null) render(<App begun={begun} />, root)

const CODE_REFUSED =
  'This link has been used, or is too old. Restart the server for another one, or sign in with a token.'
const EXPIRED = 'Your token has expired. Sign in with a new one.'

/** Shows the console to a signed-in user, otherwise the sign-in form. */
function App({ begun: { token: first, isCodeRefused } }: { readonly begun: OpenedSession }) {
  const [{ token, reason }, setSession] = useState({ token: first, reason: isCodeRefused ? CODE_REFUSED : null })

  const signIn = (given: string) => {
    forgetAll()
    void keepSession(given)
    setSession({ token: given, reason: null })
  }

  const claims = useMemo(() => (token === null ? null : claimsOf(token)), [token])
  const signedIn = useRef(token)
  signedIn.current = token
  const signOut = useCallback(
    (why: string | null = null) => {
      // A response to a request of the previous session may arrive late.
      if (signedIn.current !== token) return
      forgetAll()
      void endSession()
      // The server may detect the expiry of a token first.
      const isOver = claims !== null && claims.expiresAt <= Date.now()
      setSession({ token: null, reason: why === REFUSED && isOver ? EXPIRED : why })
    },
    [token, claims],
  )
  useExpiry(claims?.expiresAt ?? null, () => signOut(EXPIRED))
  const client = useMemo(
    () => (token === null ? null : createGraphqlClient(token, () => signOut(REFUSED))),
    [token, signOut],
  )
  const session = useMemo<Session | null>(
    () => (token === null || claims === null ? null : { token, claims, signOut }),
    [token, claims, signOut],
  )
  if (session === null || client === null)
    return (
      <>
        <Sprite />
        <SignIn reason={reason} onToken={signIn} />
      </>
    )
  return (
    <SessionContext.Provider value={session}>
      <Provider value={client}>
        <Sprite />
        <Console key={session.token} />
      </Provider>
    </SessionContext.Provider>
  )
}
