import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Tells whether a text equals one of the expected ones. Every expected text is compared, and each comparison takes the
 * same time wherever the texts differ and however long they are, because digests are compared and not the texts.
 */
export function equalsOneOf(given: string, expected: readonly string[]): boolean {
  const digest = digestOf(given)
  let equal = false
  for (const text of expected) {
    if (timingSafeEqual(digest, digestOf(text))) equal = true
  }
  return equal
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
