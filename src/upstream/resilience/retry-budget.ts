export type RetryBudget = {
  /** Counts a request's first attempt, which earns a tenth of a retry. */
  earn(): void
  /** Takes one retry; false when there is none left. */
  spend(): boolean
}

/** Enough for a passing fault to stay unseen, before the share below takes over. */
const SAVED_AT_MOST = 10

const EARNED_PER_REQUEST = 0.1

/**
 * Keeps retries to a tenth of the requests while the payments API is in trouble, so that we do not add to it: past a small
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
