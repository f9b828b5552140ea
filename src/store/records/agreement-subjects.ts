import type { PlannedRead } from '../../domain/read-schedule.ts'
import type { AgreementReadSubject } from '../agreement-store.ts'
import type { Db } from '../unit.ts'
import { toAgreement } from './agreement-records.ts'
import { AGREEMENT_READS, type DueQuery, dueRows } from './due-rows.ts'
import { columnsOf, noLaterThan } from './plan-read.ts'

/** An agreement as a read finds it, and when it is to be read: milliseconds since the epoch, null while no read is planned. */
export type AgreementSubject = Omit<AgreementReadSubject, 'dueAt'> & { readonly dueAt: number | null }

/** The subject with this agreement id or, failing that, this clientTransactionId. */
export async function findAgreementSubject(db: Db, id: string): Promise<AgreementSubject | null> {
  const byId = await subjects(db).where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await subjects(db).where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : toSubject(row)
}

/** The subjects of these sites whose read of one class is due by an instant (milliseconds since the epoch), longest due first. */
export async function dueAgreements(db: Db, query: DueQuery): Promise<AgreementSubject[]> {
  const ids = (await dueRows(db, [AGREEMENT_READS], query)).map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await subjects(db).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(toSubject).map((subject) => [subject.agreement.id, subject]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Counts a callback or an answer for its agreement, so that an answer to a read that was under way can be told from one
 * that knows of it; with `confirm`, a read is due now.
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
      ...(confirm ? noLaterThan({ at: at.getTime(), readClass: 'doubt' }) : {}),
    }))
    .where('id', '=', id)
    .execute()
}

/** Sets when an agreement is read next (null for never), and how many reads failed in a row. */
export async function planAgreementRead(
  db: Db,
  id: string,
  { next, failures }: { next: PlannedRead | null; failures: number },
): Promise<void> {
  await db
    .updateTable('agreements')
    .set({ ...columnsOf(next), read_failures: failures })
    .where('id', '=', id)
    .execute()
}

/** Has an agreement read at an instant (milliseconds since the epoch; null for never) after a read without a result. */
export async function planAgreementRetry(
  db: Db,
  id: string,
  { dueAt, failures }: { dueAt: number | null; failures: number },
): Promise<void> {
  await db.updateTable('agreements').set({ read_due_at: dueAt, read_failures: failures }).where('id', '=', id).execute()
}

/** Has a doubt about an agreement settled by a read that is due at an instant. */
export async function planAgreementReadBy(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('agreements')
    .set(noLaterThan({ at: at.getTime(), readClass: 'doubt' }))
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
