import { LRUCache } from 'lru-cache'
import type { Answer } from './request-outcome.ts'

/** Cache of answers that are equal for all callers, by the text of the request. */
export type PublicAnswers = {
  /** Returns the answer to an equal request within the last second; null if there is none, or if a list has changed since then. */
  find(text: string): Answer | null
  /** Returns the version of the lists from which answers are created. */
  version(): number
  /**
   * Keeps an answer that was created when the lists had this version or a later one. Only answers to repeated requests are kept,
   * because answers to unique requests would fill the memory.
   */
  keep(text: string, answer: Answer, version: number): void
}

/** Time to live in milliseconds. All other data in public answers changes as rarely as the lists. */
const TTL_MS = 1_000
const MAX_ANSWERS = 500
/** Maximum characters of all requests with their answers, and of one request with its answer. */
const MAX_CHARACTERS = 8_000_000
const MAX_CHARACTERS_EACH = 500_000

/** Number of recent requests that are kept to detect repeated ones. */
const RECENT_TEXTS = 1_000
/** Maximum characters of a request. For a longer one neither the request nor its answer is kept. */
const MAX_TEXT = 8_000

/** Creates an empty cache. `version` returns the current version of the lists. */
export function createPublicAnswers(version: () => number): PublicAnswers {
  const kept = new LRUCache<string, { readonly answer: Answer; readonly version: number; readonly at: number }>({
    max: MAX_ANSWERS,
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_EACH,
    sizeCalculation: ({ answer }, text) => answer.json.length + text.length,
  })
  const asked = new LRUCache<string, true>({ max: RECENT_TEXTS })
  return {
    find(text) {
      const found = kept.get(text)
      if (found === undefined || performance.now() - found.at > TTL_MS || found.version !== version()) return null
      return found.answer
    },
    version,
    keep(text, answer, made) {
      if (asked.has(text)) kept.set(text, { answer, version: made, at: performance.now() })
      else if (text.length <= MAX_TEXT) asked.set(text, true)
    },
  }
}
