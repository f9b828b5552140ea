import { isDeepStrictEqual } from 'node:util'
import type { Command } from '../domain/command.ts'
import type { CommandSubject, NewCommand } from '../store/command-store.ts'
import { type AttemptRow, commandLookup } from '../store/rows/command-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { findAgreement } from './subjects/agreement-subject.ts'
import { findPayout } from './subjects/payout-subject.ts'
import { findPayment } from './subjects/subject.ts'

/**
 * Records a command that is about to be sent. Returns it, or the same caller's earlier command with this key; then `fresh` is false and
 * nothing was changed. Throws `StoreConflictError` if its id or its correlation id is taken.
 */
export function beginCommand(rows: Rows, fresh: NewCommand): { command: Command; fresh: boolean } {
  rows.commands.want('id', fresh.id)
  rows.attempts.want('ref', fresh.ref)
  const holder = rows.commands.first('key', commandLookup(fresh))
  if (holder !== null) return { command: holder, fresh: false }
  if (rows.commands.first('id', fresh.id) !== null) throw new StoreConflictError('The id of the command is taken.')
  const { refKind, subject, site, requested = null, ownerId = null, traceparent = null, ...named } = fresh
  const result = subject ?? null
  const command: Command = { ...named, ...subjectAt(rows, subject), state: 'SENT', attempt: 1, result }
  rows.commands.put(command)
  if (refKind !== null) recordAttempt(rows, command, { kind: refKind, site, requested, ownerId, traceparent })
  return { command, fresh: true }
}

/** Returns the state of a command's subject when the command is recorded; nulls if the subject has no record. */
function subjectAt(
  rows: Rows,
  subject: CommandSubject | undefined,
): Pick<Command, 'subjectDeliveries' | 'subjectVersion'> {
  if (subject === undefined) return { subjectDeliveries: null, subjectVersion: null }
  if ('agreementId' in subject) {
    const row = findAgreement(rows, subject.agreementId)
    return { subjectDeliveries: row?.deliveries ?? null, subjectVersion: row?.state.version ?? null }
  }
  if ('payoutId' in subject) {
    const row = findPayout(rows, subject.payoutId)
    return { subjectDeliveries: row?.deliveries ?? null, subjectVersion: row?.state.version ?? null }
  }
  const row = findPayment(rows, subject.paymentId)
  if (row === null) return { subjectDeliveries: null, subjectVersion: null }
  return { subjectDeliveries: row.deliveries + linkDeliveries(rows, row.state), subjectVersion: row.state.version }
}

/** Returns the number of deliveries recorded for the link of a payment. */
export function linkDeliveries(rows: Rows, { linkRef }: { readonly linkRef: string | null }): number {
  return linkRef === null ? 0 : (rows.links.first('ref', linkRef)?.deliveries ?? 0)
}

function recordAttempt(
  rows: Rows,
  { ref, id: commandId, attempt, sentAt }: Command,
  { kind, site, requested, ownerId, traceparent }: Omit<AttemptRow, 'ref' | 'commandId' | 'attempt' | 'sentAt'>,
): void {
  if (rows.attempts.first('ref', ref) !== null)
    throw new StoreConflictError('The correlation id of the command is taken.')
  rows.attempts.put({ ref, commandId, attempt, sentAt, kind, site, requested, ownerId, traceparent })
}

/** Starts another attempt of a command under a new correlation id. Returns false if it is no longer in the given state, by default UNKNOWN. */
export function retryCommand(
  rows: Rows,
  id: string,
  attempt: Pick<Command, 'ref' | 'owner' | 'leaseUntil' | 'sentAt'>,
  from: 'UNKNOWN' | 'ABANDONED' = 'UNKNOWN',
): boolean {
  rows.attempts.want('commandId', id)
  rows.attempts.want('ref', attempt.ref)
  const known = rows.commands.first('id', id)
  if (known?.state !== from) return false
  const command: Command = { ...known, ...attempt, state: 'SENT', attempt: known.attempt + 1 }
  rows.commands.put(command)
  const [first] = rows.attempts.find('commandId', id).toSorted((a, b) => a.attempt - b.attempt)
  if (first !== undefined) recordAttempt(rows, command, first)
  return true
}

/** Deletes a command that certainly had no effect at the payments API. Its correlation ids are kept. */
export function forgetCommand(rows: Rows, id: string): void {
  const known = rows.commands.first('id', id)
  if (known !== null && isOpen(known)) rows.commands.remove(known)
}

/** Completes an open command with the payments API's refusal. */
export function rejectCommand(rows: Rows, id: string, refusal: unknown): void {
  const known = rows.commands.first('id', id)
  if (known !== null && isOpen(known)) rows.commands.put({ ...known, state: 'REJECTED', result: asStored(refusal) })
}

/** Records that the outcome of a sent command is unknown. */
export function markUnknown(rows: Rows, id: string): void {
  const known = rows.commands.first('id', id)
  if (known?.state === 'SENT') rows.commands.put({ ...known, state: 'UNKNOWN' })
}

/** Returns whether its outcome is open. */
function isOpen({ state }: Command): boolean {
  return state === 'SENT' || state === 'UNKNOWN'
}

/**
 * Returns the command to complete with a result; null if it was already completed with this result. Throws `StoreConflictError` if it has
 * no record, was rejected, or has another result.
 */
export function findUnsettled(rows: Rows, id: string, result: unknown): Command | null {
  const command = rows.commands.first('id', id)
  if (command === null) throw new StoreConflictError('The command to settle is not on record.')
  if (command.state === 'REJECTED') throw new StoreConflictError('The command to settle was rejected.')
  if (command.state !== 'SETTLED') return command
  if (isDeepStrictEqual(command.result, asStored(result))) return null
  throw new StoreConflictError('The command to settle has ended with another result already.')
}

/**
 * The same for the result of one attempt, by its correlation id. Also throws `StoreConflictError` if a later attempt was made since: the earlier
 * one is abandoned, and what it created must not become the result while the latest one is under way.
 */
export function findUnsettledAttempt(
  rows: Rows,
  id: string,
  { ref, result }: { readonly ref: string; readonly result: unknown },
): Command | null {
  const command = findUnsettled(rows, id, result)
  if (command !== null && command.ref !== ref)
    throw new StoreConflictError('A later attempt of the command was made: the result of this one is abandoned.')
  return command
}

/** Completes a command with its result, as JSON. */
export function markSettled(rows: Rows, id: string, result: unknown): void {
  const known = rows.commands.first('id', id)
  if (known !== null) rows.commands.put({ ...known, state: 'SETTLED', result: asStored(result) })
}

function asStored(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result ?? null)) as unknown
}
