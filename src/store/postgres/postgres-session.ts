import { type Pooler, POOLERS } from '../../config/database.ts'

/** Returns the `pooler` parameter of a database URL. Null: every connection detects whether there is a pooler. */
export function poolerOf(url: string): Pooler | null {
  const named = new URL(url).searchParams.get('pooler')
  return POOLERS.find((pooler) => pooler === named) ?? null
}

/** Server timeouts for a lock and for a statement, in milliseconds; 0 for none. */
export type SessionTimeouts = { readonly lock: number; readonly statement: number }

/** Server timeout of a transaction that is idle: a process that hangs must not block the writers of other nodes. */
const IDLE_IN_TRANSACTION_MS = 5000

/**
 * Returns the settings of these timeouts. They are not startup parameters of the connection, because a pooler rejects or ignores
 * parameters that it does not support.
 */
export function limitSettings({ lock, statement }: SessionTimeouts): readonly string[] {
  return [
    `lock_timeout = ${lock}`,
    `statement_timeout = ${statement}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  ]
}

/** Returns the statements that change settings for the session. Not for use behind a pooler: other clients would get the settings. */
export function setForSession(settings: readonly string[]): string {
  return settings.map((setting) => `SET ${setting}`).join('; ')
}

/** Returns the statements that change settings for the current transaction. */
export function setForTransaction(settings: readonly string[]): string {
  return settings.map((setting) => `SET LOCAL ${setting}`).join('; ')
}
