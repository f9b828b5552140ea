import type { KeyRing, KeySetting } from '../keys/key-ring.ts'
import { startPeriodicTask } from '../lib/periodic-task.ts'
import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { SigningKeyRecord, SigningKeyStore } from '../store/store.ts'
import { type KeyDependent, keyDependents, type KeyLifetimes } from './key-dependents.ts'

/** SIGNS: the first of its setting. VERIFIES: listed after it. REMOVED: no longer listed by the process that is asked. */
export type SigningKeyState = 'SIGNS' | 'VERIFIES' | 'REMOVED'

/** A signing key, known by its id, and what depends on it. */
export type SigningKey = SigningKeyRecord & {
  readonly state: SigningKeyState
  readonly dependents: readonly KeyDependent[]
}

/** The record of the signing keys of this process's settings, and of those before them. */
export type SigningKeys = {
  /** Notes a callback that a key has verified. */
  callbackVerified(keyId: string): void
  /** Returns every key that was ever recorded, by setting, the last in use first. */
  report(): Promise<SigningKey[]>
  /** Resolves when what was noted is stored. */
  close(): Promise<void>
}

export type SigningKeysOptions = {
  readonly ring: KeyRing
  readonly store: SigningKeyStore
  readonly lifetimes: KeyLifetimes
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
}

const EVERY_MS = 3_600_000
const SETTINGS: readonly KeySetting[] = ['CALLBACK_KEYS', 'SIGNING_KEYS']

/**
 * Records at its start, and hourly, which keys are in use. Warns of each key that is not listed any more although something depends on it:
 * it does not refuse to start, because a key that was disclosed has to be removed at once.
 */
export async function startSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { ring, store, lifetimes, logger, clock, timer } = options
  const callbacks = new Map<string, Date>()

  const stateOf = (setting: KeySetting, keyId: string): SigningKeyState => {
    const place = ring.ids(setting).indexOf(keyId)
    if (place === 0) return 'SIGNS'
    return place > 0 ? 'VERIFIES' : 'REMOVED'
  }
  const describe = async (record: SigningKeyRecord): Promise<SigningKey> => {
    const now = clock()
    const state = stateOf(record.setting, record.keyId)
    const signs = state === 'SIGNS'
    // It may have signed until just before it was to be recorded again.
    const signedUntil = signs ? now : new Date(record.lastSignedAt.getTime() + EVERY_MS)
    const openAgreements =
      record.setting === 'CALLBACK_KEYS' ? await store.openAgreements(record.firstSignedAt, signedUntil) : 0
    return {
      ...record,
      state,
      dependents: keyDependents(record, lifetimes, { openAgreements, signs, signedUntil, now }),
    }
  }
  const report = async () => Promise.all((await store.all()).map(describe))
  const record = async () => {
    const uses = SETTINGS.flatMap((setting) =>
      ring.ids(setting).map((keyId, index) => ({
        setting,
        keyId,
        signs: index === 0,
        lastCallbackAt: setting === 'CALLBACK_KEYS' ? (callbacks.get(keyId) ?? null) : null,
      })),
    )
    await store.record(uses, clock())
  }
  const work = async () => {
    try {
      await record()
      for (const { setting, keyId, state, dependents } of await report()) {
        const needed = dependents.filter((dependent) => dependent.needed).map(({ kind }) => kind)
        if (state === 'REMOVED' && needed.length > 0)
          logger.warn({ setting, keyId, needed }, 'a signing key is not listed any more, and something depends on it')
      }
    } catch (error) {
      logger.error({ err: error }, 'the signing keys could not be recorded; it is tried again')
    }
  }
  const task = startPeriodicTask({ everyMs: EVERY_MS, timer, mayRun: () => true, work })
  await task.run()
  return {
    callbackVerified: (keyId) => void callbacks.set(keyId, clock()),
    report,
    async close() {
      await task.close()
      if (callbacks.size > 0) await record().catch(() => {})
    },
  }
}
