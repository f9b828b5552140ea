import { createHmac } from 'node:crypto'
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

/**
 * Returns JSON that is the same for equal values: object keys sorted by code units, no white space, and no undefined properties. Arrays
 * keep their order. `toJSON` is called, as `JSON.stringify` does. Throws `TypeError` for values without a JSON form: numbers that are not
 * finite, big integers, functions and symbols.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value === 'object') return canonicalObject(value)
  throw new TypeError(`A ${typeof value} of this kind has no form in JSON.`)
}

function canonicalObject(value: object): string {
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

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

/**
 * Returns a keyed digest (43 characters) of a text, under the first signing key, for names and values that nodes share outside of the
 * database. It does not reveal the text, and cannot be made without the key.
 */
export function sharedDigest(ring: KeyRing, text: string): string {
  const [{ key }] = ring.subKeys('shared state')
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url')
}
