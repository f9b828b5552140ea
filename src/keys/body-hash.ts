import { createHmac } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

/**
 * Keyed hashes (HMAC-SHA256, 64 hexadecimal digits) of a webhook's raw body under every live signing key. The first is
 * the one to store; all of them are looked for, so a repeat is recognised across a change of keys. Keyed, because a plain
 * hash of a body that can be guessed would tell whether the guess is right.
 */
export function bodyHashes(ring: KeyRing, body: Uint8Array): [string, ...string[]] {
  const [first, ...others] = ring.subKeys('webhook body')
  return [hashUnder(first, body), ...others.map((key) => hashUnder(key, body))]
}

function hashUnder({ key }: SubKey, body: Uint8Array): string {
  return createHmac('sha256', key).update(body).digest('hex')
}
