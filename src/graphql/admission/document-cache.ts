import { LRUCache } from 'lru-cache'

export type CacheBounds = {
  readonly maxDocuments: number
  /** Characters of all texts together. What is made of a text takes about a hundred bytes for each of them. */
  readonly maxCharacters: number
}

/** Keeps what was made of texts, the most recently used ones. That of a text longer than a tenth of the bounds is not kept. */
export function createDocumentCache<Value extends object | string>({
  maxDocuments,
  maxCharacters,
}: CacheBounds): Pick<LRUCache<string, Value>, 'get' | 'set'> {
  return new LRUCache({
    max: maxDocuments,
    maxSize: maxCharacters,
    maxEntrySize: Math.floor(maxCharacters / 10),
    // An empty text counts, too.
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  })
}
