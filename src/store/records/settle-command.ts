import { isDeepStrictEqual } from 'node:util'
import type { Command } from '../../domain/command.ts'
import { StoreConflictError } from '../errors.ts'
import type { Db } from '../unit.ts'
import { findCommand } from './command-records.ts'

/**
 * The command to end with a result, or null when it has ended with this very result before. Throws `StoreConflictError`
 * for one that is not on record, and for one that has ended otherwise.
 */
export async function findUnsettled(db: Db, commandId: string, result: unknown): Promise<Command | null> {
  const command = await findCommand(db, { id: commandId })
  if (command === null) throw new StoreConflictError('The command to settle is not on record.')
  if (command.state === 'REJECTED') throw new StoreConflictError('The command to settle was rejected.')
  if (command.state !== 'SETTLED') return command
  if (isDeepStrictEqual(command.result, asStored(result))) return null
  throw new StoreConflictError('The command to settle has ended with another result already.')
}

/** Ends a command with its result. */
export async function markSettled(db: Db, commandId: string, result: unknown): Promise<void> {
  await db
    .updateTable('commands')
    .set({ state: 'SETTLED', result_json: JSON.stringify(result ?? null) })
    .where('id', '=', commandId)
    .execute()
}

/** Ends a command with a plain result; a second time changes nothing. Throws as `findUnsettled` does. */
export async function settle(db: Db, commandId: string, result: unknown): Promise<void> {
  if ((await findUnsettled(db, commandId, result)) !== null) await markSettled(db, commandId, result)
}

/** Whether another command of the same kind with the same expected result is open, or was sent since and settled. */
export async function hasRival(db: Db, { id, mutation, result }: Command, since: number): Promise<boolean> {
  const alike = db
    .selectFrom('commands')
    .select('id')
    .where('id', '!=', id)
    .where('mutation', '=', mutation)
    .where('result_json', '=', JSON.stringify(result))
  // Two queries in one, because SQLite looks up an index by one condition of several.
  const row = await alike
    .where('state', 'in', ['SENT', 'UNKNOWN'])
    .unionAll(alike.where('state', '=', 'SETTLED').where('sent_at', '>=', since))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function asStored(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result ?? null)) as unknown
}
