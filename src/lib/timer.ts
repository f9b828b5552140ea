/** Time as pacing needs it: one that is never set back, and whose passing a test can bring about. */
export type Timer = {
  /** Milliseconds since some moment; never goes back. */
  now(): number
  /** Calls `action` after so many milliseconds, and gives the function that cancels it. Keeps no process alive. */
  after(milliseconds: number, action: () => void): () => void
}

/** A timer above this fires at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_MS = 2 ** 31 - 1

export const systemTimer: Timer = {
  now: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, Math.min(milliseconds, LONGEST_MS))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
