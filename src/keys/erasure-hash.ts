import { createHmac } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

/**
 * Returns keyed hashes (43 characters) of what payers are erased by, under every live signing key. The first is stored; all are used for
 * lookups. They are keyed, because an e-mail address could be guessed from a plain hash.
 */
export function erasureHashes(ring: KeyRing, kind: string, value: string): [string, ...string[]] {
  const hashed = erasedValue(kind, value)
  const hashUnder = ({ key }: SubKey) =>
    createHmac('sha256', key).update(`${kind}\n${hashed}`, 'utf8').digest('base64url')
  const [first, ...others] = ring.subKeys('erased value')
  return [hashUnder(first), ...others.map(hashUnder)]
}

/** Returns the value as it is hashed and compared: e-mail addresses in lower case, without spaces around them. */
export function erasedValue(kind: string, value: string): string {
  return kind === 'EMAIL' ? value.trim().toLowerCase() : value
}
