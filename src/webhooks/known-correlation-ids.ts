import { LRUCache } from 'lru-cache'

/** Each takes about 100 bytes. */
const MAX_KNOWN = 10_000

/**
 * Caches which correlation ids are known. A known id stays known and keeps its kind. An unknown one may be assigned to a command a
 * moment later, so it is looked up each time. A failed lookup is not cached.
 */
export function rememberKnown(
  lookUp: (correlationId: string) => Promise<boolean>,
  max: number = MAX_KNOWN,
): (correlationId: string) => boolean | Promise<boolean> {
  const known = new LRUCache<string, true>({ max })
  const lookUpAndRemember = async (correlationId: string) => {
    const isKnown = await lookUp(correlationId)
    if (isKnown) known.set(correlationId, true)
    return isKnown
  }
  return (correlationId) => known.get(correlationId) === true || lookUpAndRemember(correlationId)
}
