import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Returns whether a text equals one of the expected ones. All expected texts are compared, and each comparison takes the same time for any
 * difference and any length, because digests are compared instead of the texts.
 */
export function equalsOneOf(given: string, expected: readonly string[]): boolean {
  return isOneOf(expected)(given)
}

/** The same for many texts: the digests of the expected ones are computed once. */
export function isOneOf(expected: readonly string[]): (given: string) => boolean {
  const digests = expected.map(digestOf)
  return (given) => {
    const digest = digestOf(given)
    let equal = false
    for (const other of digests) if (timingSafeEqual(digest, other)) equal = true
    return equal
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
