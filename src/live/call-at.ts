/** A timer above this fires at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Calls `action` at an instant (milliseconds since the epoch), however far away, and never before it: timers may fire up
 * to a millisecond early. Gives the function that cancels it.
 */
export function callAt(instant: number, action: () => void, now: () => number = Date.now): () => void {
  let timer: NodeJS.Timeout
  const arm = () => {
    const left = instant - now()
    timer = left > 0 ? setTimeout(arm, Math.min(left, LONGEST_MS)) : setTimeout(action)
    timer.unref()
  }
  arm()
  return () => clearTimeout(timer)
}
