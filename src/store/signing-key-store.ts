import type { KeySetting } from '../keys/key-ring.ts'

/** When a signing key was in use. */
export type SigningKeyRecord = {
  /** The setting that lists it. */
  readonly setting: KeySetting
  readonly keyId: string
  /** Null if it may have signed before keys were recorded. */
  readonly firstSignedAt: Date | null
  /** Of a key that signs now, up to an hour ago. */
  readonly lastSignedAt: Date
  /** The last callback that it has verified, up to an hour ago; null if there was none. */
  readonly lastCallbackAt: Date | null
}

/** A signing key that a process has in its settings. */
export type SigningKeyUse = Pick<SigningKeyRecord, 'setting' | 'keyId' | 'lastCallbackAt'> & {
  /** Whether it signs: the others of its setting only verify. */
  readonly signs: boolean
}

export type SigningKeyStore = {
  /**
   * Records which keys are in use at an instant. A key that only verifies, and is not on record, may have signed until now. Nothing is
   * recorded if `check` throws, which is given the keys on record.
   */
  record(uses: readonly SigningKeyUse[], now: Date, check?: (known: readonly SigningKeyRecord[]) => void): Promise<void>
  all(): Promise<SigningKeyRecord[]>
  /**
   * Returns how many agreements that have not ended were created between two instants (null: at any time before); at most 10,000 are
   * counted.
   */
  openAgreements(from: Date | null, until: Date): Promise<number>
  /** Returns how many card tokens are kept that a signing key has encrypted; at most 10,000 are counted. */
  cardTokens(keyId: string): Promise<number>
}
