import type { SigningKeyRecord } from '../store/store.ts'

/** What was made with a signing key. */
export type KeyDependentKind =
  | 'CALLBACKS_OF_PAYMENTS'
  | 'CALLBACKS_OF_AGREEMENTS'
  | 'STATUS_TOKENS'
  | 'COMMAND_REPEATS'
  | 'WEBHOOK_REPEATS'
  | 'CURSORS'
  | 'ERASURES'

export type KeyDependent = {
  readonly kind: KeyDependentKind
  /** Whether something fails that nothing else makes good if the key is removed now. */
  readonly needed: boolean
  /** When the last of them ends; null if they have no end. */
  readonly until: Date | null
  /** Their number, at most; null if they are not counted. */
  readonly count: number | null
}

export type KeyLifetimes = {
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

export type KeyState = {
  readonly openAgreements: number
  readonly signs: boolean
  /** Nothing was signed with it later; now, if it signs. */
  readonly signedUntil: Date
  readonly now: Date
}

/**
 * Returns what depends on a signing key, as of now. A key that signs is in use: then every `until` is the earliest possible.
 * `openAgreements` is the number of agreements that may have been created with it.
 */
export function keyDependents(
  record: SigningKeyRecord,
  { refundWindowDays, deliveryKeysDays }: KeyLifetimes,
  { openAgreements, signs, signedUntil, now }: KeyState,
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
  const endless = (kind: KeyDependentKind): KeyDependent => ({ kind, needed: signs, until: null, count: null })
  if (record.setting === 'CALLBACK_KEYS') {
    const calledAt = record.lastCallbackAt ?? signedUntil
    return [
      lasting('CALLBACKS_OF_PAYMENTS', refundWindowDays, { since: calledAt > signedUntil ? calledAt : signedUntil }),
      { kind: 'CALLBACKS_OF_AGREEMENTS', needed: signs || openAgreements > 0, until: null, count: openAgreements },
    ]
  }
  return [
    lasting('STATUS_TOKENS', STATUS_TOKEN_DAYS),
    lasting('COMMAND_REPEATS', COMMAND_DAYS),
    lasting('WEBHOOK_REPEATS', deliveryKeysDays, { neededDays: REPEATS_DAYS }),
    endless('CURSORS'),
    endless('ERASURES'),
  ]
}

function after(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS)
}
