import './console.css'
import { Provider } from '@urql/preact'
import { render } from 'preact'
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { surviveTranslation } from '../translation.ts'
import { Console } from './console.tsx'
import { Sprite } from './pieces/icons.tsx'
import { followPlaces } from './routes/places.ts'
import { OfferDialog } from './session/offer-dialog.tsx'
import {
  findTokens,
  forgetAll,
  givenToken,
  keepToken,
  REFUSED,
  SessionContext,
  type Session,
  claimsOf,
  useExpiry,
} from './session/session.ts'
import { createGraphqlClient, SignIn } from './session/sign-in.tsx'
import { applyPreferences } from './shell/preferences.ts'

surviveTranslation()
applyPreferences()
followPlaces()
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)

const EXPIRED = 'Your token has expired. Sign in with a new one.'

/** Shows the console to a signed-in user, otherwise the sign-in form. */
function App() {
  const [{ token, offered, reason }, setTokens] = useState(findTokens)

  const signIn = (given: string) => {
    keepToken(given)
    setTokens({ token: given, offered: null, reason: null })
  }
  // A URL that differs only in its fragment does not reload the page. A layout effect misses no change after the first drawing.
  useLayoutEffect(() => {
    const look = () => {
      if (givenToken() !== null) setTokens(findTokens())
    }
    window.addEventListener('hashchange', look)
    return () => window.removeEventListener('hashchange', look)
  }, [])

  const claims = useMemo(() => (token === null ? null : claimsOf(token)), [token])
  const signedIn = useRef(token)
  signedIn.current = token
  const signOut = useCallback(
    (why: string | null = null) => {
      // A response to a request of the previous session may arrive late.
      if (signedIn.current !== token) return
      forgetAll()
      // The server may detect the expiry of a token first.
      const isOver = claims !== null && claims.expiresAt <= Date.now()
      setTokens({ token: null, offered: null, reason: why === REFUSED && isOver ? EXPIRED : why })
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
  const offeredClaims = offered === null ? null : claimsOf(offered)
  const offer = offered !== null && offeredClaims !== null && (
    <OfferDialog
      current={session?.claims ?? null}
      offered={offeredClaims}
      onRefuse={() => setTokens({ token, offered: null, reason })}
      onAccept={() => signIn(offered)}
    />
  )
  if (session === null || client === null)
    return (
      <>
        <Sprite />
        <SignIn reason={reason} onToken={signIn} />
        {offer}
      </>
    )
  return (
    <SessionContext.Provider value={session}>
      <Provider value={client}>
        <Sprite />
        <Console key={session.token} />
        {offer}
      </Provider>
    </SessionContext.Provider>
  )
}
