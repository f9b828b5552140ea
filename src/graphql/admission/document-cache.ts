/** Keeps what was made of texts, the most recently used ones. */
export type DocumentCache<Value> = {
  get(text: string): Value | undefined
  /** Keeps a value. That of a text which is longer than a tenth of the bounds is not kept. */
  set(text: string, value: Value): void
}

export type CacheBounds = {
  readonly maxDocuments: number
  /** Characters of all texts together. What is made of a text takes about a hundred bytes for each of them. */
  readonly maxCharacters: number
}

/** An empty cache. */
export function createDocumentCache<Value>({ maxDocuments, maxCharacters }: CacheBounds): DocumentCache<Value> {
  const kept = new Map<string, Value>()
  let characters = 0

  const drop = (text: string) => {
    if (kept.delete(text)) characters -= text.length
  }
  return {
    get(text) {
      const value = kept.get(text)
      if (value !== undefined) {
        kept.delete(text)
        kept.set(text, value)
      }
      return value
    },
    set(text, value) {
      drop(text)
      if (text.length > maxCharacters / 10) return
      kept.set(text, value)
      characters += text.length
      for (const oldest of kept.keys()) {
        if (kept.size <= maxDocuments && characters <= maxCharacters) break
        drop(oldest)
      }
    },
  }
}
