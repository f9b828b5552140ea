/** Keeps what was made of texts, the most recently used ones. */
export type DocumentCache<Value> = {
  get(text: string): Value | undefined
  /** Tells whether it is kept. A text that is longer than a tenth of the bounds is not. */
  set(text: string, value: Value): boolean
}

export type CacheBounds<Value> = {
  readonly maxDocuments: number
  /** Characters of all texts together. What is made of a text takes about a hundred bytes for each of them. */
  readonly maxCharacters: number
  /** Called with what has been dropped. */
  readonly onDropped: (value: Value) => void
}

/** An empty cache. */
export function createDocumentCache<Value>({
  maxDocuments,
  maxCharacters,
  onDropped,
}: CacheBounds<Value>): DocumentCache<Value> {
  const kept = new Map<string, Value>()
  let characters = 0

  const drop = (text: string) => {
    const value = kept.get(text)
    if (value === undefined) return
    kept.delete(text)
    characters -= text.length
    onDropped(value)
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
      if (text.length > maxCharacters / 10) return false
      kept.set(text, value)
      characters += text.length
      for (const oldest of kept.keys()) {
        if (kept.size <= maxDocuments && characters <= maxCharacters) break
        drop(oldest)
      }
      return true
    },
  }
}
