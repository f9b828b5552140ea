import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { inspect } from 'node:util'

/** The purpose of a derived key. A key of one purpose verifies nothing that was made for another. */
export type KeyPurpose =
  | 'callback authorization'
  | 'status token'
  | 'cursor'
  | 'webhook body'
  | 'input fingerprint'
  | 'shared state'
  | 'erased value'
  | 'upload grant'
  | 'export grant'
  | 'contact'

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
