import { type Contact, identityStatus, type IdentityStatus } from './person.ts'

/** What is told of a followed identity check. Nothing in it identifies the contact. */
export type IdentityState = {
  readonly status: IdentityStatus
  /** Number of results of identity checks: it rises where one result follows another of the same status. */
  readonly results: number
  /** Rises with each change, while it is followed. */
  readonly version: number
  /** When the payments API was read last, in milliseconds since the epoch. */
  readonly readAt: number
}

/** Milliseconds from a change to the next read. */
export const FIRST_INTERVAL_MS = 5_000
/** Longest time between two reads in milliseconds: a check that a person makes takes hours. */
export const LONGEST_INTERVAL_MS = 60_000

/** Returns the part of a contact that is told. */
export function identityOf(contact: Pick<Contact, 'identity'>): Pick<IdentityState, 'status' | 'results'> {
  return { status: identityStatus(contact), results: contact.identity.length }
}

/** Returns the time to the read after one that showed no change, or a change. */
export function nextInterval(intervalMs: number, isChanged: boolean): number {
  return isChanged ? FIRST_INTERVAL_MS : Math.min(2 * intervalMs, LONGEST_INTERVAL_MS)
}

/** Returns whether no further change is expected: a refused identity may be handed in again, an approved one is not (gap sheet, section 23). */
export function isSettledIdentity({ status }: Pick<IdentityState, 'status'>): boolean {
  return status === 'approved'
}
