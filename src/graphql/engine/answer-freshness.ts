/** Tracks whether all parts of one answer are current. Caches between this server and the client must not keep a stale answer. */
export type AnswerFreshness = {
  /** Must be called by code that reads a part that is older than its time to live, unavailable, or null because of a failed read. */
  readonly markStale: () => void
  readonly isStale: () => boolean
}

/** Creates the tracker of one answer: current until a part is reported stale. */
export function createAnswerFreshness(): AnswerFreshness {
  let stale = false
  return {
    markStale: () => {
      stale = true
    },
    isStale: () => stale,
  }
}
