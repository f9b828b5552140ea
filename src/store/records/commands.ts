import type { Command } from '../../domain/command.ts'
import type { CommandStore, NewCommand } from '../store.ts'
import type { Db, Write } from '../unit.ts'
import { findCommand, toCommand, toRow } from './command-records.ts'
import { settleWithLink } from './settle-link.ts'

/** The commands that go out to the service, each recorded before it is sent. */
export function createCommandStore(reader: Db, write: Write): CommandStore {
  return {
    find: (mutation, key) => findCommand(reader, { mutation, key }),
    begin: (command) => write(({ db }) => begin(db, command)),
    retry: (id, attempt) => write(({ db }) => retry(db, id, attempt)),
    forget: (id) => write(({ db }) => forget(db, id)),
    reject: (id, refusal) => write(({ db }) => reject(db, id, refusal)),
    markUnknown: (id) => write(({ db }) => markUnknown(db, id)),
    settleWithLink: (id, link, at) => write((unit) => settleWithLink(unit, id, { link, at })),
    expireLeases: (now) => write(({ db }) => expireLeases(db, now)),
  }
}

/** States in which nobody knows yet what became of the command. */
const OPEN = ['SENT', 'UNKNOWN'] as const

async function begin(db: Db, fresh: NewCommand): Promise<{ command: Command; fresh: boolean }> {
  const holder = await findCommand(db, { mutation: fresh.mutation, key: fresh.key })
  if (holder !== null) return { command: holder, fresh: false }
  const command: Command = {
    id: fresh.id,
    mutation: fresh.mutation,
    key: fresh.key,
    fingerprint: fresh.fingerprint,
    state: 'SENT',
    attempt: 1,
    ref: fresh.ref,
    owner: fresh.owner,
    leaseUntil: fresh.leaseUntil,
    sentAt: fresh.sentAt,
    result: null,
  }
  await db.insertInto('commands').values(toRow(command)).execute()
  await recordRef(db, command)
  return { command, fresh: true }
}

async function retry(db: Db, id: string, attempt: Parameters<CommandStore['retry']>[1]): Promise<boolean> {
  const taken = await db
    .updateTable('commands')
    .set((eb) => ({
      state: 'SENT',
      attempt: eb('attempt', '+', 1),
      ref: attempt.ref,
      owner: attempt.owner,
      lease_until: attempt.leaseUntil,
      sent_at: attempt.sentAt,
    }))
    .where('id', '=', id)
    .where('state', '=', 'UNKNOWN')
    .returningAll()
    .executeTakeFirst()
  if (taken === undefined) return false
  await recordRef(db, toCommand(taken))
  return true
}

async function recordRef(db: Db, { ref, id, attempt, sentAt }: Command): Promise<void> {
  await db.insertInto('command_refs').values({ ref, command_id: id, attempt, sent_at: sentAt }).execute()
}

async function forget(db: Db, id: string): Promise<void> {
  await db.deleteFrom('commands').where('id', '=', id).where('state', 'in', OPEN).execute()
}

async function reject(db: Db, id: string, refusal: unknown): Promise<void> {
  await db
    .updateTable('commands')
    .set({ state: 'REJECTED', result_json: JSON.stringify(refusal ?? null) })
    .where('id', '=', id)
    .where('state', 'in', OPEN)
    .execute()
}

async function markUnknown(db: Db, id: string): Promise<void> {
  await db.updateTable('commands').set({ state: 'UNKNOWN' }).where('id', '=', id).where('state', '=', 'SENT').execute()
}

async function expireLeases(db: Db, now: number): Promise<number> {
  const result = await db
    .updateTable('commands')
    .set({ state: 'UNKNOWN' })
    .where('state', '=', 'SENT')
    .where('lease_until', '<', now)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
