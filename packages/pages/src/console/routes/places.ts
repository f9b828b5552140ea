/** Where the user was in an entry of the browser's history. */
type Place = { readonly top: number; readonly row: string | null }

const places = new Map<string, Place>()
let current = ''

/** Remembers for each entry of the history how far it was scrolled and which row had the focus. Called once, before the first view. */
export function followPlaces(): void {
  history.scrollRestoration = 'manual'
  current = entryKey()
  window.addEventListener('popstate', () => {
    const row = document.activeElement?.closest('[data-row]')?.getAttribute('href') ?? null
    places.set(current, { top: window.scrollY, row })
    current = entryKey()
  })
}

/** Goes to the place where the current entry of the history was left. Returns whether it was left before. */
export function returnTo(): boolean {
  const place = places.get(current)
  if (place === undefined) return false
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const target = rows.find((row) => row.getAttribute('href') === place.row) ?? document.querySelector('h1')
  target?.focus({ preventScroll: true })
  window.scrollTo(0, place.top)
  return true
}

/** Returns the key of the current entry of the history, which it gets at its first visit. */
function entryKey(): string {
  const state = history.state as { readonly place?: unknown } | null
  if (typeof state?.place === 'string') return state.place
  const key = String(Math.random())
  history.replaceState({ place: key }, '')
  return key
}
