import { createHmac } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

/**
 * Returns keyed hashes (HMAC-SHA256, 64 hexadecimal digits) of a webhook's raw body at one URL, one per live signing key. The first is
 * stored; all are looked up, so a repeat is detected after a change of keys. Keyed, because a plain hash of a body that can be guessed
 * would confirm the guess. The URL (`ref`, null for the default one) is part of the hash: a copy at another URL must not count as the
 * original, and the original must not count as a repeat of such a copy.
 */
export function bodyHashes(ring: KeyRing, body: Uint8Array, ref: string | null): [string, ...string[]] {
  const hashUnder = ({ key }: SubKey) =>
    createHmac('sha256', key)
      .update(`${ref ?? ''}\n`, 'utf8')
      .update(body)
      .digest('hex')
  const [first, ...others] = ring.subKeys('webhook body')
  return [hashUnder(first), ...others.map(hashUnder)]
}
