/** How hard the process is pressed. */
export type Load = {
  /**
   * From 0, at ease, to 1, where the process is as late as it may be. `waitedMs` is how long the first has waited of those
   * whose work has not begun.
   */
  readonly pressure: (waitedMs: number) => number
  close(): void
}

const SAMPLE_MS = 50
const WINDOW_MS = 1_000
/** Below this part of the limit the delay is what any busy process has. */
const AT_EASE = 1 / 3

type Sample = { readonly until: number; readonly took: number; readonly late: number }

/**
 * Watches how late the process is. `maxDelayMs` is the delay, in milliseconds, at which the pressure is 1. Of the event loop
 * is meant what a request of the last second has met: a loop that stood still for two seconds is late for whoever came
 * meanwhile, though it was late only once. What the turn under way has taken so far counts at once.
 */
export function watchLoad(maxDelayMs: number): Load {
  const samples: Sample[] = []
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const took = now - last
    samples.push({ until: now, took, late: Math.max(0, took - SAMPLE_MS) })
    while ((samples[0]?.until ?? now) < now - WINDOW_MS) samples.shift()
    last = now
  }, SAMPLE_MS)
  timer.unref()
  return {
    pressure(waitedMs) {
      const atEase = maxDelayMs * AT_EASE
      // One turn of a busy loop takes up hundreds of requests, and no sample comes before it is over.
      const thisTurn = performance.now() - last - SAMPLE_MS
      const delay = Math.max(metDelay(samples), thisTurn, waitedMs)
      return Math.min(1, Math.max(0, (delay - atEase) / (maxDelayMs - atEase)))
    },
    close: () => clearInterval(timer),
  }
}

/** Requests come at any time, so a sample counts by how long it took. */
function metDelay(samples: readonly Sample[]): number {
  const took = samples.reduce((sum, sample) => sum + sample.took, 0)
  return took === 0 ? 0 : samples.reduce((sum, { took: length, late }) => sum + late * length, 0) / took
}
