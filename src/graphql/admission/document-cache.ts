import { LRUCache } from 'lru-cache'

export type CacheBounds = {
  readonly maxDocuments: number
  /** Characters of all texts together. A cached value takes about a hundred bytes per character of its text. */
  readonly maxCharacters: number
}

/** Creates an LRU cache of values by document text. A value whose text is longer than a tenth of `maxCharacters` is not kept. */
export function createDocumentCache<Value extends object | string>({
  maxDocuments,
  maxCharacters,
}: CacheBounds): Pick<LRUCache<string, Value>, 'get' | 'set'> {
  return new LRUCache({
    max: maxDocuments,
    maxSize: maxCharacters,
    maxEntrySize: Math.floor(maxCharacters / 10),
    // The size of an entry must be positive, also for an empty text.
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  })
}
