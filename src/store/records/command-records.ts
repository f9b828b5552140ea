import type { Selectable } from 'kysely'
import type { Command } from '../../domain/command.ts'
import type { CommandKey } from '../command-store.ts'
import type { CommandsTable } from '../tables.ts'
import type { Db } from '../unit.ts'

/** The command with this id, or the one that holds this key. */
export async function findCommand(db: Db, by: { id: string } | CommandKey): Promise<Command | null> {
  const commands = db.selectFrom('commands').selectAll()
  const chosen =
    'id' in by
      ? commands.where('id', '=', by.id)
      : commands.where('mutation', '=', by.mutation).where('key', '=', by.key).where('key_scope', '=', by.keyScope)
  const row = await chosen.executeTakeFirst()
  return row === undefined ? null : toCommand(row)
}

/** The command that holds this key; else the unscoped one of this key. */
export async function findOwnOrUnscoped(db: Db, key: CommandKey): Promise<Command | null> {
  return (await findCommand(db, key)) ?? findCommand(db, { ...key, keyScope: UNSCOPED })
}

/** Gives an unscoped command to a caller. False when it was not unscoped any more. */
export async function adopt(db: Db, id: string, keyScope: string): Promise<boolean> {
  const result = await db
    .updateTable('commands')
    .set({ key_scope: keyScope })
    .where('id', '=', id)
    .where('key_scope', '=', UNSCOPED)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

/** Whether a command of the same mutation and key, but of another caller, is open or settled. */
export async function hasNamesake(db: Db, { id, mutation, key }: Command): Promise<boolean> {
  const row = await db
    .selectFrom('commands')
    .select('id')
    .where('id', '!=', id)
    .where('mutation', '=', mutation)
    .where('key', '=', key)
    .where('state', '!=', 'REJECTED')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Scope of the commands that were recorded before keys belonged to a caller. */
const UNSCOPED = ''

/** Reads a command out of its row. */
export function toCommand(row: Selectable<CommandsTable>): Command {
  return {
    id: row.id,
    mutation: row.mutation,
    key: row.key,
    keyScope: row.key_scope,
    fingerprint: row.fingerprint,
    state: row.state,
    attempt: row.attempt,
    ref: row.ref,
    owner: row.owner,
    leaseUntil: row.lease_until,
    sentAt: row.sent_at,
    subjectDeliveries: row.subject_deliveries,
    subjectVersion: row.subject_version,
    result: row.result_json === null ? null : (JSON.parse(row.result_json) as unknown),
  }
}

/** The row of a command that is about to be sent. */
export function toRow(command: Command): CommandsTable {
  return {
    id: command.id,
    mutation: command.mutation,
    key: command.key,
    key_scope: command.keyScope,
    fingerprint: command.fingerprint,
    state: command.state,
    attempt: command.attempt,
    ref: command.ref,
    owner: command.owner,
    lease_until: command.leaseUntil,
    sent_at: command.sentAt,
    subject_deliveries: command.subjectDeliveries,
    subject_version: command.subjectVersion,
    result_json: command.result === null ? null : JSON.stringify(command.result),
  }
}
