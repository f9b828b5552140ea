/** The session of this browser with the server, which keeps its token in a cookie that no script and no other tab's storage can read. */

const URL_OF_SESSION = '/session'

/** `token` is null when nobody is signed in; `isCodeRefused` is true if the URL had a one-time code that is not valid any more. */
export type OpenedSession = { readonly token: string | null; readonly isCodeRefused: boolean }

/** Returns the session, which a one-time code in the fragment `#code=` begins. Without an answer of the server nobody is signed in. */
export async function openSession(): Promise<OpenedSession> {
  // A browser runs a page ahead of a visit that may never come.
  const { prerendering } = document as Document & { readonly prerendering?: boolean }
  if (prerendering === true)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }))
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) history.replaceState(null, '', `${location.pathname}${location.search}`)
  const begun = code === null ? null : await ask('POST', `Code ${code}`)
  const token = begun ?? (await ask('GET'))
  return { token, isCodeRefused: code !== null && begun === null }
}

/** Begins a session with a token; without an answer of the server the token lasts as long as the page. */
export async function keepSession(token: string): Promise<void> {
  await ask('POST', `Bearer ${token}`)
}

/** Ends the session in every tab: each keeps the token that it has until it is reloaded. */
export async function endSession(): Promise<void> {
  await ask('DELETE')
}

async function ask(method: string, authorization?: string): Promise<string | null> {
  const headers: HeadersInit = authorization === undefined ? {} : { authorization }
  const response = await fetch(URL_OF_SESSION, { method, headers }).catch(() => null)
  if (response === null || !response.ok) return null
  const { token } = (await response.json()) as { readonly token: string | null }
  return token
}
