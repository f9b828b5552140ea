/** A monotonic clock with timers, which a test can replace. */
export type Timer = {
  /** Milliseconds since an arbitrary instant; never decreases. */
  now(): number
  /** Calls `action` after so many milliseconds and returns the function that cancels it. Does not keep the process alive. */
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
