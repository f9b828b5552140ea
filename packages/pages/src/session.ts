/** The session of this browser with the server, which keeps its token in a cookie that no script and no other tab's storage can read. */

const URL_OF_SESSION = '/session'

/** Why a sign-in failed: its one-time code is not valid any more; the issuer refused it; the issuer does not answer. */
export type SignInProblem = 'code' | 'refused' | 'unavailable'

export type OpenedSession = {
  /** Null when nobody is signed in. */
  readonly token: string | null
  /** Where one signs in at the issuer of tokens; null where one cannot. */
  readonly signInUrl: string | null
  readonly problem: SignInProblem | null
}

/** Returns the session, which a one-time code in the fragment `#code=` begins. Without an answer of the server nobody is signed in. */
export async function openSession(): Promise<OpenedSession> {
  // A browser runs a page ahead of a visit that may never come.
  const { prerendering } = document as Document & { readonly prerendering?: boolean }
  if (prerendering === true)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }))
  const params = new URLSearchParams(location.hash.slice(1))
  const [code, failed] = [params.get('code'), params.get('sign-in')]
  if (code !== null || failed !== null) history.replaceState(null, '', `${location.pathname}${location.search}`)
  const begun = code === null ? NOBODY : await ask('POST', `Code ${code}`)
  const kept = begun.token === null ? await ask('GET') : begun
  const { token, signIn } = kept.token === null && kept.signIn ? await ask('PUT') : kept
  const ofIssuer = failed === 'refused' || failed === 'unavailable' ? failed : null
  return {
    token,
    signInUrl: signIn ? `${URL_OF_SESSION}/sign-in` : null,
    problem: code !== null && begun.token === null ? 'code' : ofIssuer,
  }
}

/**
 * Returns a token that is valid for longer, which another tab may have got already; null if the issuer gives none. Tabs wait for each other:
 * an issuer may take a second use of what renews a token for theft.
 */
export async function renewSession(token: string): Promise<string | null> {
  const renew = async () => {
    const { token: now, signIn } = await ask('GET')
    return now !== null && now !== token ? now : signIn ? (await ask('PUT')).token : null
  }
  const { locks } = navigator as Partial<Navigator>
  return locks === undefined ? renew() : locks.request('payments-session', renew)
}

/** Begins a session with a token; without an answer of the server the token lasts as long as the page. */
export async function keepSession(token: string): Promise<void> {
  await ask('POST', `Bearer ${token}`)
}

/** Ends the session in every tab: each keeps the token that it has until it is reloaded. */
export async function endSession(): Promise<void> {
  await ask('DELETE')
}

type Asked = { readonly token: string | null; readonly signIn: boolean }

const NOBODY: Asked = { token: null, signIn: false }

async function ask(method: string, authorization?: string): Promise<Asked> {
  const headers: HeadersInit = authorization === undefined ? {} : { authorization }
  const response = await fetch(URL_OF_SESSION, { method, headers }).catch(() => null)
  return response === null || !response.ok ? NOBODY : ((await response.json()) as Asked)
}
