/** Whether all parts of one answer are current. What is not must not be kept by a cache between here and the client. */
export type AnswerFreshness = {
  /** Told by whoever reads a part that is past its time to live, or unavailable, or null for want of an answer. */
  readonly markStale: () => void
  readonly isStale: () => boolean
}

/** For one answer: current until a part of it is reported stale. */
export function createAnswerFreshness(): AnswerFreshness {
  let stale = false
  return {
    markStale: () => {
      stale = true
    },
    isStale: () => stale,
  }
}
