import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Returns whether a text equals one of the expected ones. It is compared with every expected text, and each comparison takes the same time
 * wherever the texts differ and however long they are, because digests are compared instead of texts.
 */
export function equalsOneOf(given: string, expected: readonly string[]): boolean {
  return isOneOf(expected)(given)
}

/** Creates the same check for many texts: the digests of the expected texts are calculated once. */
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
