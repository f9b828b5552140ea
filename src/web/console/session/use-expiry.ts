import { useEffect } from 'preact/hooks'

/** The longest time that a browser's timer can wait, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Calls `action` at an instant, in milliseconds since the epoch, however far away it is. */
export function useExpiry(expiresAt: number | null, action: () => void): void {
  useEffect(() => {
    if (expiresAt === null) return undefined
    let timer = 0
    const wait = () => {
      const left = expiresAt - Date.now()
      if (left <= 0) action()
      else timer = window.setTimeout(wait, Math.min(left, LONGEST_MS))
    }
    wait()
    return () => window.clearTimeout(timer)
  }, [expiresAt])
}
