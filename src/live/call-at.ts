/** A timer above this fires at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_MS = 2 ** 31 - 1

/** Calls `action` at an instant (milliseconds since the epoch), however far away. Gives the function that cancels it. */
export function callAt(instant: number, action: () => void, now: () => number = Date.now): () => void {
  let timer: NodeJS.Timeout
  const arm = () => {
    const left = instant - now()
    timer = left > LONGEST_MS ? setTimeout(arm, LONGEST_MS) : setTimeout(action, Math.max(left, 0))
    timer.unref()
  }
  arm()
  return () => clearTimeout(timer)
}
