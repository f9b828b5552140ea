import { useEffect } from 'preact/hooks'

/** Runs an action every `ms` milliseconds while the page is visible, and at once when it becomes visible again. */
export function useEvery(ms: number, action: () => void): void {
  useEffect(() => {
    const act = () => {
      if (document.visibilityState === 'visible') action()
    }
    const timer = window.setInterval(act, ms)
    document.addEventListener('visibilitychange', act)
    return () => {
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', act)
    }
  }, [ms])
}
