import { useEffect } from 'preact/hooks'

/** The maximum delay of a browser timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Calls `action` at an instant, in milliseconds since the epoch; also for instants beyond the maximum delay of a timer. */
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
