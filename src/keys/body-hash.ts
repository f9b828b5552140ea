import { createHmac } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

/**
 * Keyed hashes (HMAC-SHA256, 64 hexadecimal digits) of a webhook's raw body at one address, under every live signing key.
 * The first is the one to store; all of them are looked for, so a repeat is recognised across a change of keys. Keyed,
 * because a plain hash of a body that can be guessed would tell whether the guess is right. The address (`ref`, null for
 * the default one) counts too: a copy that comes to another address must not pass for the original, nor, if it comes
 * first, make the original pass for a repeat.
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
