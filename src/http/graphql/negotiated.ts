import { LRUCache } from 'lru-cache'

/** Browsers and libraries send few different values. */
const MAX_TEXTS = 256
const MAX_CHARACTERS = 256

/** Returns the function, with its results for recent values of a header kept. */
export function negotiated<Chosen>(choose: (header: string) => Chosen): (header: string) => Chosen {
  const recent = new LRUCache<string, { readonly chosen: Chosen }>({ max: MAX_TEXTS })
  return (header) => {
    const known = recent.get(header)
    if (known !== undefined) return known.chosen
    const chosen = choose(header)
    if (header.length <= MAX_CHARACTERS) recent.set(header, { chosen })
    return chosen
  }
}
