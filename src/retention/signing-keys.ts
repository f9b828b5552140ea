import type { KeyRing, KeySetting } from '../keys/key-ring.ts'
import { startPeriodicTask, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { SigningKeyRecord, SigningKeyStore } from '../store/port.ts'
import { StoreUnusableError } from '../store/store-errors.ts'

/** SIGNS: the first of its setting. VERIFIES: listed after it. REMOVED: no longer listed by the process that is asked. */
type PaymentSigningKeyState = 'SIGNS' | 'VERIFIES' | 'REMOVED'

/** A signing key, known by its id, and what depends on it. */
export type PaymentSigningKey = SigningKeyRecord & {
  readonly state: PaymentSigningKeyState
  readonly dependents: readonly KeyDependent[]
}

/** The record of the signing keys of this process's settings, and of those before them. */
export type SigningKeys = {
  /** Notes a callback that a key has verified. */
  callbackVerified(keyId: string): void
  /** Returns every key that was ever recorded, by setting, the last in use first. */
  report(): Promise<PaymentSigningKey[]>
  /** Resolves when what was noted is stored. */
  close(): Promise<void>
}

type SigningKeysOptions = {
  readonly ring: KeyRing
  readonly store: SigningKeyStore
  readonly lifetimes: KeyLifetimes
  /** Ids of keys of other nodes that this one is without on purpose; null if no other node can have the database. */
  readonly removed: readonly string[] | null
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
}

const EVERY_MS = 3_600_000
const SETTINGS: readonly KeySetting[] = ['CALLBACK_KEYS', 'SIGNING_KEYS']

/**
 * Records at its start, and hourly, which keys are in use. Rejects with `StoreUnusableError` if they are not those of the other nodes on
 * the database. Warns of each key that is not listed any more although something depends on it.
 */
export async function startSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { ring, store, lifetimes, removed, logger, clock, timer } = options
  const callbacks = new Map<string, Date>()

  const stateOf = (setting: KeySetting, keyId: string): PaymentSigningKeyState => {
    const place = ring.ids(setting).indexOf(keyId)
    if (place === 0) return 'SIGNS'
    return place > 0 ? 'VERIFIES' : 'REMOVED'
  }
  const describe = async (record: SigningKeyRecord): Promise<PaymentSigningKey> => {
    const now = clock()
    const state = stateOf(record.setting, record.keyId)
    const signs = state === 'SIGNS'
    // It may have signed until just before it was to be recorded again.
    const signedUntil = signs ? now : new Date(record.lastSignedAt.getTime() + EVERY_MS)
    const count =
      record.setting === 'CALLBACK_KEYS'
        ? await store.openAgreements(record.firstSignedAt, signedUntil)
        : await store.cardTokens(record.keyId)
    return {
      ...record,
      state,
      dependents: keyDependents(record, lifetimes, { count, signs, signedUntil, now }),
    }
  }
  const report = async () => Promise.all((await store.all()).map(describe))
  const record = async (check?: (known: readonly SigningKeyRecord[]) => void) => {
    const uses = SETTINGS.flatMap((setting) =>
      ring.ids(setting).map((keyId, index) => ({
        setting,
        keyId,
        signs: index === 0,
        lastCallbackAt: setting === 'CALLBACK_KEYS' ? (callbacks.get(keyId) ?? null) : null,
      })),
    )
    await store.record(uses, clock(), check)
  }
  const work = async () => {
    try {
      await record()
      for (const { setting, keyId, state, dependents } of await report()) {
        const needed = dependents.filter((dependent) => dependent.needed).map(({ kind }) => kind)
        if (state === 'REMOVED' && needed.length > 0)
          logger.warn({ setting, keyId, needed }, 'a signing key that is still needed is no longer listed')
      }
    } catch (error) {
      logger.error({ err: error }, 'the signing keys could not be recorded; retrying')
    }
  }
  if (removed !== null)
    await record((known) => checkShared(known, ring, removed)).catch((error: unknown) => {
      // Of an outage the task below tells.
      if (error instanceof StoreUnusableError) throw error
    })
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

/**
 * Throws if this process would refuse what other nodes sign, or they what it signs: it has to list the keys that sign now, and to sign with
 * a key that they have listed.
 */
function checkShared(known: readonly SigningKeyRecord[], ring: KeyRing, removed: readonly string[]): void {
  for (const setting of SETTINGS) {
    const ofSetting = known.filter((record) => record.setting === setting)
    const ids = ring.ids(setting)
    const lastAt = Math.max(...ofSetting.map(({ lastSignedAt }) => lastSignedAt.getTime()))
    const signing = ofSetting.filter(
      ({ keyId, lastSignedAt }) => lastSignedAt.getTime() === lastAt && !removed.includes(keyId),
    )
    const missing = signing.find(({ keyId }) => !ids.includes(keyId))
    if (missing !== undefined)
      throw new StoreUnusableError(
        `${setting} does not list the key ${missing.keyId}, with which other nodes on this database sign. Give every node the same keys; if the key was removed on purpose, set REMOVED_SIGNING_KEYS=${missing.keyId}.`,
      )
    if (signing.length > 0 && !ofSetting.some(({ keyId }) => keyId === ids[0]))
      throw new StoreUnusableError(
        `${setting} begins with the key ${ids[0]}, which no other node on this database knows. Put it at the end, restart every node, and then move it to the front.`,
      )
  }
}

/** What was made with a signing key. */
type KeyDependentKind =
  | 'CALLBACKS_OF_PAYMENTS'
  | 'CALLBACKS_OF_AGREEMENTS'
  | 'STATUS_TOKENS'
  | 'COMMAND_REPEATS'
  | 'WEBHOOK_REPEATS'
  | 'CARD_TOKENS'
  | 'ERASURES'

type KeyDependent = {
  readonly kind: KeyDependentKind
  /** Whether something fails that nothing else makes good if the key is removed now. */
  readonly needed: boolean
  /** When the last of them ends; null if they have no end. */
  readonly until: Date | null
  /** Their number, at most; null if they are not counted. */
  readonly count: number | null
}

type KeyLifetimes = {
  readonly refundWindowDays: number
  /** Days for which a repeat of a webhook is recognised. */
  readonly deliveryKeysDays: number
}

const DAY_MS = 24 * 3_600_000
/** A repeated command is recognised for so long (`KEEP_COMMANDS_MS`). */
const COMMAND_DAYS = 30
/** The payments API repeats a webhook three times, 15 minutes apart; the rest is for its own outages. */
const REPEATS_DAYS = 1
/** Most links expire within days, and their status tokens a day later. A page gets a new token with its next query of the link. */
const STATUS_TOKEN_DAYS = 30

type KeyState = {
  /** How many agreements that are open may have been created with it, or how many card tokens it has encrypted. */
  readonly count: number
  readonly signs: boolean
  /** Nothing was signed with it later; now, if it signs. */
  readonly signedUntil: Date
  readonly now: Date
}

/** Returns what depends on a signing key, as of now. A key that signs is in use: then every `until` is the earliest possible. */
function keyDependents(
  record: SigningKeyRecord,
  { refundWindowDays, deliveryKeysDays }: KeyLifetimes,
  { count, signs, signedUntil, now }: KeyState,
): readonly KeyDependent[] {
  const lasting = (
    kind: KeyDependentKind,
    days: number,
    { neededDays = days, since = signedUntil } = {},
  ): KeyDependent => ({
    kind,
    needed: signs || after(since, neededDays) > now,
    until: after(since, days),
    count: null,
  })
  const counted = (kind: KeyDependentKind): KeyDependent => ({ kind, needed: signs || count > 0, until: null, count })
  const endless = (kind: KeyDependentKind): KeyDependent => ({ kind, needed: signs, until: null, count: null })
  if (record.setting === 'CALLBACK_KEYS') {
    const calledAt = record.lastCallbackAt ?? signedUntil
    return [
      lasting('CALLBACKS_OF_PAYMENTS', refundWindowDays, { since: calledAt > signedUntil ? calledAt : signedUntil }),
      counted('CALLBACKS_OF_AGREEMENTS'),
    ]
  }
  return [
    lasting('STATUS_TOKENS', STATUS_TOKEN_DAYS),
    lasting('COMMAND_REPEATS', COMMAND_DAYS),
    lasting('WEBHOOK_REPEATS', deliveryKeysDays, { neededDays: REPEATS_DAYS }),
    counted('CARD_TOKENS'),
    endless('ERASURES'),
  ]
}

function after(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS)
}
