/** Calls `check` whenever the app returns to the foreground. Returns the function that stops it. */
export type WakeSource = (check: () => void) => () => void

/**
 * Calls `check` when a connection may have died unnoticed: the page becomes visible, is restored from the browser's cache,
 * or the network changes. Without a page, only `source` triggers it. Returns the function that stops it.
 */
export function onWake(check: () => void, source?: WakeSource): () => void {
  const listening: (() => void)[] = source === undefined ? [] : [source(check)]
  const on = (target: EventTarget, type: string, listener: () => void) => {
    target.addEventListener(type, listener)
    listening.push(() => target.removeEventListener(type, listener))
  }
  if (typeof window !== 'undefined' && typeof window.addEventListener === 'function')
    for (const type of ['online', 'offline', 'pageshow']) on(window, type, check)
  if (typeof document !== 'undefined' && typeof document.addEventListener === 'function')
    on(document, 'visibilitychange', () => {
      if (document.visibilityState === 'visible') check()
    })
  return () => {
    for (const end of listening.splice(0)) end()
  }
}
