import { createHmac } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

/**
 * Returns keyed hashes (HMAC-SHA256, 64 hexadecimal digits) of a webhook's raw body at one URL, under every live signing key. The first is
 * stored; all are used for lookups, so a repeat is recognised after a key rotation. They are keyed, because with a plain hash a guess of
 * the body could be verified. The URL (`ref`, null for the default URL) is part of the input: a copy at another URL must not count as the
 * original, nor, if it arrives first, make the original count as a repeat.
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
