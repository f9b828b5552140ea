import { LRUCache } from 'lru-cache'
import type { Answer } from './request-outcome.ts'

/** Cache of answers that are the same for everybody, by the text of their request. */
export type PublicAnswers = {
  /** Returns the answer to an equal request of the last second; null if there is none, or if a list has changed since. */
  find(text: string): Answer | null
  /** The version of the lists that answers are made from. */
  version(): number
  /**
   * Keeps an answer that was made when the lists had this version, or a later one. Only answers to repeated requests are kept;
   * requests that come once would fill the memory.
   */
  keep(text: string, answer: Answer, version: number): void
}

/** Time to live in milliseconds. Everything else that answers are made from changes as rarely as the lists. */
const TTL_MS = 1_000
const MAX_ANSWERS = 500
/** Characters of requests and answers together, and of one of them. */
const MAX_CHARACTERS = 8_000_000
const MAX_CHARACTERS_EACH = 500_000

/** How many requests are remembered to detect repeated ones. */
const RECENT_TEXTS = 1_000
/** Longer requests are not remembered, and their answers not kept. */
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
