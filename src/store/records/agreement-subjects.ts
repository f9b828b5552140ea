import type { AgreementReadSubject } from '../agreement-store.ts'
import type { Db } from '../unit.ts'
import { toAgreement } from './agreement-records.ts'
import { noLaterThan } from './plan-read.ts'

/** An agreement as a read finds it, and when it is to be read: milliseconds since the epoch, null while no read is planned. */
export type AgreementSubject = AgreementReadSubject & { readonly dueAt: number | null }

/** The subject with this agreement id or, failing that, this clientTransactionId. */
export async function findAgreementSubject(db: Db, id: string): Promise<AgreementSubject | null> {
  const byId = await subjects(db).where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await subjects(db).where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : toSubject(row)
}

/** The subjects whose read is due by an instant (milliseconds since the epoch), longest due first. */
export async function dueAgreements(db: Db, by: number, limit: number): Promise<AgreementSubject[]> {
  const rows = await subjects(db).where('read_due_at', '<=', by).orderBy('read_due_at').limit(limit).execute()
  return rows.map(toSubject)
}

/**
 * Counts a callback for its agreement, so that an answer to a read that was under way can be told from one that knows of
 * it; with `confirm`, a read is due now.
 */
export async function countCallback(
  db: Db,
  id: string,
  { confirm, at }: { confirm: boolean; at: Date },
): Promise<void> {
  await db
    .updateTable('agreements')
    .set((eb) => ({
      deliveries: eb('deliveries', '+', 1),
      ...(confirm ? { read_due_at: noLaterThan(at.getTime()) } : {}),
    }))
    .where('id', '=', id)
    .execute()
}

/** Sets when an agreement is read next (milliseconds since the epoch, null for never), and how many reads failed in a row. */
export async function planAgreementRead(
  db: Db,
  id: string,
  { dueAt, failures }: { dueAt: number | null; failures: number },
): Promise<void> {
  await db.updateTable('agreements').set({ read_due_at: dueAt, read_failures: failures }).where('id', '=', id).execute()
}

/** Has an agreement read at an instant, unless a read is planned for an earlier one. */
export async function planAgreementReadBy(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('agreements')
    .set({ read_due_at: noLaterThan(at.getTime()) })
    .where('id', '=', id)
    .execute()
}

function subjects(db: Db) {
  return db.selectFrom('agreements').select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
}

function toSubject(row: Awaited<ReturnType<ReturnType<typeof subjects>['executeTakeFirstOrThrow']>>): AgreementSubject {
  return {
    agreement: toAgreement(row.state_json),
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at,
  }
}
