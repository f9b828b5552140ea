export type RetryBudget = {
  /** Counts the first attempt of a request, which adds a tenth of a retry. */
  earn(): void
  /** Takes one retry; returns false if there is none left. */
  spend(): boolean
}

/** Initial reserve and upper limit: enough to hide a brief fault before the share below takes effect. */
const SAVED_AT_MOST = 10

const EARNED_PER_REQUEST = 0.1

/**
 * Limits retries to a tenth of the requests, so that we do not add load while the payments API is in trouble: beyond a small
 * reserve, ten requests earn one retry.
 */
export function createRetryBudget(): RetryBudget {
  let saved = SAVED_AT_MOST
  return {
    earn: () => {
      saved = Math.min(SAVED_AT_MOST, saved + EARNED_PER_REQUEST)
    },
    spend: () => {
      if (saved < 1) return false
      saved -= 1
      return true
    },
  }
}
