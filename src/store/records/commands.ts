import type { Command } from '../../domain/command.ts'
import type { CommandStore, CommandSubject, NewCommand, RefKind } from '../command-store.ts'
import type { Db, Write } from '../unit.ts'
import { findAgreementByRefs } from './agreement-records.ts'
import { findAgreementSubject } from './agreement-subjects.ts'
import { adopt, findCommand, findOwnOrUnscoped, hasNamesake, toCommand, toRow } from './command-records.ts'
import { paidThrough } from './orphan-links.ts'
import { settleWithPayout } from './payouts.ts'
import { findPaymentSubject } from './read-subjects.ts'
import { refsOfSameCommand } from './refs.ts'
import { settleWithAgreement, settleWithAgreementChange } from './settle-agreement.ts'
import { hasRival, settle } from './settle-command.ts'
import { settleWithLink } from './settle-link.ts'
import { settleWithPayin } from './settle-payin.ts'
import { settleWithPayment } from './settle-payment.ts'

/** The commands that go out to the service, each recorded before it is sent. */
export function createCommandStore(reader: Db, write: Write): CommandStore {
  return {
    find: (key) => findOwnOrUnscoped(reader, key),
    adopt: (id, keyScope) => write(({ db }) => adopt(db, id, keyScope)),
    hasNamesake: (command) => hasNamesake(reader, command),
    begin: (command) => write(({ db }) => begin(db, command)),
    retry: (id, attempt) => write(({ db }) => retry(db, id, attempt)),
    forget: (id) => write(({ db }) => forget(db, id)),
    reject: (id, refusal) => write(({ db }) => reject(db, id, refusal)),
    markUnknown: (id) => write(({ db }) => markUnknown(db, id)),
    hasRival: (command, since) => hasRival(reader, command, since),
    settle: (id, result) => write(({ db }) => settle(db, id, result)),
    settleWithPayout: (id, payout) => write(({ db }) => settleWithPayout(db, id, payout)),
    settleWithLink: (id, link, at) => write((unit) => settleWithLink(unit, id, { link, at })),
    settleWithPayin: (id, payin, report, at) => write((unit) => settleWithPayin(unit, id, { payin, report, at })),
    settleWithPayment: (id, paymentId, report, at) =>
      write((unit) => settleWithPayment(unit, id, { paymentId, report, at })),
    settleWithAgreement: (id, { ref, site }, report, at) =>
      write((unit) => settleWithAgreement(unit, id, { ref, site, report, at })),
    settleWithAgreementChange: (id, agreementId, report, at) =>
      write((unit) => settleWithAgreementChange(unit, id, { agreementId, report, at })),
    traceAgreement: async (ref) => findAgreementByRefs(reader, await refsOfSameCommand(reader, ref)),
    paidThrough: (ref) => paidThrough(reader, ref),
    expireLeases: (now) => write(({ db }) => expireLeases(db, now)),
    purge: (before) => purge(write, before.getTime()),
  }
}

/** States in which nobody knows yet what became of the command. */
const OPEN = ['SENT', 'UNKNOWN'] as const

async function begin(db: Db, fresh: NewCommand): Promise<{ command: Command; fresh: boolean }> {
  const holder = await findCommand(db, { mutation: fresh.mutation, key: fresh.key, keyScope: fresh.keyScope })
  if (holder !== null) return { command: holder, fresh: false }
  const command: Command = {
    id: fresh.id,
    mutation: fresh.mutation,
    key: fresh.key,
    keyScope: fresh.keyScope,
    fingerprint: fresh.fingerprint,
    state: 'SENT',
    attempt: 1,
    ref: fresh.ref,
    owner: fresh.owner,
    leaseUntil: fresh.leaseUntil,
    sentAt: fresh.sentAt,
    ...(await subjectAt(db, fresh.subject)),
    result: fresh.subject ?? null,
  }
  await db.insertInto('commands').values(toRow(command)).execute()
  const { refKind: kind, site } = fresh
  if (kind !== null) await recordRef(db, command, { kind, site })
  return { command, fresh: true }
}

/** How a command's subject stands when the command is sent; null while nothing is on record of it. */
async function subjectAt(
  db: Db,
  subject: CommandSubject | undefined,
): Promise<Pick<Command, 'subjectDeliveries' | 'subjectVersion'>> {
  if (subject === undefined) return { subjectDeliveries: null, subjectVersion: null }
  if ('paymentId' in subject) {
    const found = await findPaymentSubject(db, subject.paymentId)
    return { subjectDeliveries: found?.deliveries ?? null, subjectVersion: found?.payment?.version ?? null }
  }
  const found = await findAgreementSubject(db, subject.agreementId)
  return { subjectDeliveries: found?.deliveries ?? null, subjectVersion: found?.agreement.version ?? null }
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
  const first = await db
    .selectFrom('command_refs')
    .select(['kind', 'site'])
    .where('command_id', '=', id)
    .orderBy('attempt')
    .limit(1)
    .executeTakeFirst()
  if (first !== undefined) await recordRef(db, toCommand(taken), first)
  return true
}

async function recordRef(
  db: Db,
  { ref, id, attempt, sentAt }: Command,
  { kind, site }: { kind: RefKind; site: string | null },
): Promise<void> {
  await db.insertInto('command_refs').values({ ref, command_id: id, attempt, sent_at: sentAt, kind, site }).execute()
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

/** Rows of one transaction: others write in between. */
const PURGED_AT_ONCE = 500

async function purge(write: Write, before: number): Promise<number> {
  let purged = 0
  for (;;) {
    const count = await write(({ db }) => purgeSome(db, before))
    purged += count
    if (count < PURGED_AT_ONCE) return purged
  }
}

async function purgeSome(db: Db, before: number): Promise<number> {
  const old = db
    .selectFrom('commands')
    .select('id')
    .where('state', 'in', ['SETTLED', 'REJECTED'])
    .where('sent_at', '<', before)
    .limit(PURGED_AT_ONCE)
  const result = await db.deleteFrom('commands').where('id', 'in', old).executeTakeFirst()
  return Number(result.numDeletedRows)
}
