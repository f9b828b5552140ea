/** Everything that the console keeps lies in the tab's session storage, under this prefix, and goes with the tab. */
const PREFIX = 'console.'
const TOKEN = `${PREFIX}token`

/** The token of this tab: from the fragment `#token=`, which is read once and taken out of the address, or the one that is kept. */
export function findToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('token')
  if (given === null) return sessionStorage.getItem(TOKEN)
  history.replaceState(null, '', `${location.pathname}${location.search}`)
  keepToken(given)
  return given
}

/** Keeps the token until the tab ends. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token)
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
