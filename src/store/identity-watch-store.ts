import type { IdentityState } from '../domain/customers/identity-check.ts'

/** A followed identity check, by the keyed hash of its contact. Instants are milliseconds since the epoch. */
export type IdentityWatch = {
  readonly key: string
  /** Null until it was read. */
  readonly state: IdentityState | null
  readonly dueAt: number
  readonly followedUntil: number
}

/** The identity checks that are followed at any node. Rows without followers are deleted. */
export type IdentityWatchStore = {
  find(keys: readonly string[]): Promise<IdentityWatch[]>
  /**
   * Records that this process follows them, and returns the keys that it has to read now: at most `most` of those that are due, new ones first.
   * Nobody else is given these before `leaseUntil`. Deletes the rows that nobody follows any more.
   */
  follow(
    keys: readonly string[],
    times: { readonly now: number; readonly followedUntil: number; readonly leaseUntil: number; readonly most: number },
  ): Promise<string[]>
  /** Records what was read, and when it is read again. Returns the state; null if nobody follows it any more. */
  record(key: string, read: Pick<IdentityState, 'status' | 'results'>, now: number): Promise<IdentityState | null>
  /** Reads it again after its interval, because a read has failed. */
  postpone(key: string, now: number): Promise<void>
  /** Those that are followed of these are due now, and their intervals begin anew. */
  hasten(keys: readonly string[], now: number): Promise<void>
  /** Deletes one that does not exist. */
  drop(key: string): Promise<void>
}
