import { createHmac } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'

/**
 * Returns a keyed digest (43 characters) of a text, under the first signing key, for names and values that nodes share outside of the
 * database. It does not reveal the text, and cannot be made without the key.
 */
export function sharedDigest(ring: KeyRing, text: string): string {
  const [{ key }] = ring.subKeys('shared state')
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url')
}
