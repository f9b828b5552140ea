import { createSecretKey, hkdfSync, type KeyObject, createHmac, hash, timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'

/** The purpose of a derived key. A key of one purpose verifies nothing that was made for another. */
export type KeyPurpose =
  | 'callback authorization'
  | 'status token'
  | 'webhook body'
  | 'input fingerprint'
  | 'shared state'
  | 'erased value'
  | 'upload grant'
  | 'export grant'
  | 'contact'
  | 'card token'

/** A key for one purpose. `id` identifies the signing key from which it was derived; it does not reveal the key, and may be shown. */
export type SubKey = { readonly id: string; readonly key: KeyObject }

/** Sub-keys of every signing key, in the order of the settings: the first one signs, all verify. */
type SubKeys = readonly [SubKey, ...SubKey[]]

/** The setting that lists a key. */
export type KeySetting = 'CALLBACK_KEYS' | 'SIGNING_KEYS'

/** The signing keys. Only keys that are derived from them are accessible. */
export type KeyRing = {
  /** Returns the sub-keys for a purpose; derived at the first call, the same objects afterwards. */
  subKeys(purpose: KeyPurpose): SubKeys
  /** Returns the ids of a setting's keys: the first one signs. */
  ids(setting: KeySetting): readonly string[]
}

type Keys = readonly [Secret, ...Secret[]]

/** Separates these keys from other uses of the same secret elsewhere. */
const SALT = 'payments-subgraph/1'
const KEY_BYTES = 32
const ID_BYTES = 4

/**
 * Creates the ring of signing keys. Sub-keys are derived with HKDF-SHA256 (RFC 5869), with the purpose as `info`; the id of a key is eight
 * hexadecimal digits, derived in the same way with its own `info`.
 * Callbacks have keys of their own where `callbackKeys` is given, and everything else has `signingKeys`.
 */
export function createKeyRing(signingKeys: Keys, callbackKeys: Keys | null = null): KeyRing {
  const keysOf = (setting: KeySetting) => (setting === 'CALLBACK_KEYS' ? (callbackKeys ?? signingKeys) : signingKeys)
  const ids = { CALLBACK_KEYS: keysOf('CALLBACK_KEYS').map(idOf), SIGNING_KEYS: signingKeys.map(idOf) }
  const derived = new Map<KeyPurpose, SubKeys>()
  return {
    subKeys(purpose) {
      const known = derived.get(purpose)
      if (known) return known
      const [first, ...others] = keysOf(purpose === 'callback authorization' ? 'CALLBACK_KEYS' : 'SIGNING_KEYS')
      const made: SubKeys = [subKey(first, purpose), ...others.map((key) => subKey(key, purpose))]
      derived.set(purpose, made)
      return made
    },
    ids: (setting) => ids[setting],
  }
}

function subKey(secret: Secret, purpose: KeyPurpose): SubKey {
  return { id: idOf(secret), key: createSecretKey(derive(secret, purpose, KEY_BYTES)) }
}

function idOf(secret: Secret): string {
  return derive(secret, 'key id', ID_BYTES).toString('hex')
}

function derive(secret: Secret, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(secret.reveal(), 'utf8'), SALT, info, bytes))
}

const MASK = '[secret]'

/**
 * A text that must not be shown: as a string, as JSON and when inspected it is `[secret]`. Only `reveal` returns the text, so all uses can
 * be found by that name.
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the text. Never put it into a log line or a message. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}

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

/** Returns the value as it is hashed and compared: e-mail addresses in lower case and composed letters, without spaces around them. */
export function erasedValue(kind: string, value: string): string {
  return kind === 'EMAIL' ? value.trim().normalize().toLowerCase() : value
}

/**
 * Returns a keyed digest (43 characters) of a text, under the first signing key, for names and values that nodes share outside of the
 * database. It does not reveal the text, and cannot be made without the key.
 */
export function sharedDigest(ring: KeyRing, text: string): string {
  const [{ key }] = ring.subKeys('shared state')
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url')
}

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
