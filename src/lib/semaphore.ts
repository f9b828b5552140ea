export type Semaphore = {
  /**
   * Waits for a free slot, first come, first served. Returns the function that releases it, or null if none is free within
   * `waitMs`.
   */
  acquire(waitMs: number): Promise<(() => void) | null>
}

/** A bulkhead: at most `limit` holders at once. */
export function createSemaphore(limit: number): Semaphore {
  let free = limit
  const waiting = new Set<() => void>()

  function release(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else next()
  }

  return {
    acquire: (waitMs) => {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once(release))
      }
      return new Promise((resolve) => {
        const grant = (): void => {
          waiting.delete(grant)
          clearTimeout(timer)
          resolve(once(release))
        }
        const timer = setTimeout(() => {
          waiting.delete(grant)
          resolve(null)
        }, waitMs)
        waiting.add(grant)
      })
    },
  }
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
