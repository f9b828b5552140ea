import { LRUCache } from 'lru-cache'
import type { Answer } from './outcome.ts'

/** Answers that are the same for everybody, by the text of their request. */
export type PublicAnswers = {
  /** The answer to an equal request of less than a second ago; null when there is none, or a list has changed since. */
  find(text: string): Answer | null
  /** The state of the lists that answers are made from. It changes whenever one of them does, or expires. */
  stamp(): string
  /** Keeps an answer that was made when the lists had this stamp. */
  keep(text: string, answer: Answer, stamp: string): void
}

/** What is not in the stamp changes as seldom, and is a second old at most. */
const TTL_MS = 1_000
const MAX_ANSWERS = 500
/** Characters of requests and answers together, and of one of them. */
const MAX_CHARACTERS = 8_000_000
const MAX_CHARACTERS_EACH = 500_000

/** An empty cache over lists with this stamp. */
export function createPublicAnswers(stamp: () => string): PublicAnswers {
  const kept = new LRUCache<string, { readonly answer: Answer; readonly stamp: string }>({
    max: MAX_ANSWERS,
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_EACH,
    sizeCalculation: ({ answer }, text) => answer.json.length + text.length,
    ttl: TTL_MS,
  })
  return {
    find(text) {
      const found = kept.get(text)
      return found === undefined || found.stamp !== stamp() ? null : found.answer
    },
    stamp,
    keep: (text, answer, at) => void kept.set(text, { answer, stamp: at }),
  }
}
