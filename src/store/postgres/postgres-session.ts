import { type Pooler, POOLERS } from '../../config/database.ts'

/** What the address of a database says of a pooler, as `pooler=…`. Null: every connection finds out whether there is one. */
export function poolerOf(url: string): Pooler | null {
  const named = new URL(url).searchParams.get('pooler')
  return POOLERS.find((pooler) => pooler === named) ?? null
}

/** Milliseconds after which the server gives up on a lock, and on a statement; 0 for never. */
export type Limits = { readonly lock: number; readonly statement: number }

/** How long the server lets a transaction wait for its client: one that hangs must not keep the other nodes from writing. */
const IDLE_IN_TRANSACTION_MS = 5000

/**
 * The settings that hold a session to limits. They are not sent when a connection is opened, as a pooler refuses what it does not
 * know, or drops it.
 */
export function limitSettings({ lock, statement }: Limits): readonly string[] {
  return [
    `lock_timeout = ${lock}`,
    `statement_timeout = ${statement}`,
    `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  ]
}

/** The statements that change settings for as long as the session lasts: behind a pooler others would get them. */
export function setForSession(settings: readonly string[]): string {
  return settings.map((setting) => `SET ${setting}`).join('; ')
}

/** The statements that change settings until the transaction ends that they stand in. */
export function setForTransaction(settings: readonly string[]): string {
  return settings.map((setting) => `SET LOCAL ${setting}`).join('; ')
}
