import { createHmac } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'
import { equalsOneOf } from './constant-time.ts'
import type { KeyRing, SubKey } from './key-ring.ts'

/**
 * Returns a keyed digest (43 characters) of a command's input, to detect later whether the same idempotency key is used with the same
 * input. It does not depend on the order of an object's keys, or on whether a key is absent or undefined. Throws `TypeError` for a value
 * without a JSON form.
 */
export function fingerprint(ring: KeyRing, value: unknown): string {
  return digestUnder(ring.subKeys('input fingerprint')[0], canonicalJson(value))
}

/** Returns whether a stored fingerprint is that of this value under any live signing key. */
export function sameFingerprint(ring: KeyRing, value: unknown, stored: string): boolean {
  const text = canonicalJson(value)
  const expected = ring.subKeys('input fingerprint').map((key) => digestUnder(key, text))
  return equalsOneOf(stored, expected)
}

function digestUnder({ key }: SubKey, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url')
}
