import './console.css'
import { Provider } from '@urql/preact'
import { render } from 'preact'
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import { Sprite } from '../design/icons.tsx'
import {
  endSession,
  keepSession,
  type OpenedSession,
  openSession,
  renewSession,
  type SignInProblem,
} from '../session.ts'
import { surviveTranslation } from '../translation.ts'
import { Console } from './console.tsx'
import { applyPreferences } from './pieces/preferences.ts'
import { followPlaces } from './routes/places.ts'
import { forgetAll, REFUSED, SessionContext, type Session, claimsOf, useExpiry } from './session/session.ts'
import { createGraphqlClient, SignIn } from './shell/sign-in.tsx'

const PROBLEMS: Readonly<Record<SignInProblem, string>> = {
  code: 'This link has been used, or is too old. Restart the server for another one, or sign in with a token.',
  refused: 'You were not signed in: the issuer or this server refused it. Try again, or ask who manages your access.',
  unavailable: 'The issuer of tokens does not answer. Try again.',
}
/** Milliseconds before its end at which a token is renewed. */
const RENEWED_BEFORE_MS = 15_000
const EXPIRED = 'Your token has expired. Sign in with a new one.'

surviveTranslation()
applyPreferences()
followPlaces()
const root = document.querySelector('#app')
const begun = await openSession()
if (root !== null) render(<App begun={begun} />, root)

/** Shows the console to a signed-in user, otherwise the sign-in form. */
function App({ begun: { token: first, signInUrl, problem } }: { readonly begun: OpenedSession }) {
  const [{ token, reason }, setSession] = useState({ token: first, reason: problem && PROBLEMS[problem] })

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
  const renewAt = signInUrl === null || claims === null ? null : claims.expiresAt - RENEWED_BEFORE_MS
  useExpiry(renewAt, () => {
    if (token === null) return
    const renew = async () => {
      const renewed = await renewSession(token)
      if (renewed !== null && signedIn.current === token) setSession({ token: renewed, reason: null })
    }
    void renew()
  })
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
        <SignIn reason={reason} signInUrl={signInUrl} onToken={signIn} />
      </>
    )
  return (
    <SessionContext.Provider value={session}>
      <Provider value={client}>
        <Sprite />
        <Console />
      </Provider>
    </SessionContext.Provider>
  )
}
