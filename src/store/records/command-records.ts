import type { Selectable } from 'kysely'
import type { Command } from '../../domain/command.ts'
import type { CommandsTable } from '../tables.ts'
import type { Db } from '../unit.ts'

/** The command with this id, or the one that holds this key. */
export async function findCommand(
  db: Db,
  by: { id: string } | { mutation: string; key: string },
): Promise<Command | null> {
  const commands = db.selectFrom('commands').selectAll()
  const chosen =
    'id' in by
      ? commands.where('id', '=', by.id)
      : commands.where('mutation', '=', by.mutation).where('key', '=', by.key)
  const row = await chosen.executeTakeFirst()
  return row === undefined ? null : toCommand(row)
}

/** Reads a command out of its row. */
export function toCommand(row: Selectable<CommandsTable>): Command {
  return {
    id: row.id,
    mutation: row.mutation,
    key: row.key,
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
