import type { AgreementReadSubject } from '../agreement-store.ts'
import type { Db } from '../unit.ts'
import { toAgreement } from './agreement-records.ts'
import { noLaterThan } from './plan-read.ts'

/** An agreement as a read finds it, and when it is to be read: milliseconds since the epoch, null while no read is planned. */
export type AgreementSubject = Omit<AgreementReadSubject, 'dueAt'> & { readonly dueAt: number | null }

/** The subject with this agreement id or, failing that, this clientTransactionId. */
export async function findAgreementSubject(db: Db, id: string): Promise<AgreementSubject | null> {
  const byId = await subjects(db).where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await subjects(db).where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : toSubject(row)
}

/** A place in the line of what is due: by instant (milliseconds since the epoch), then by id. */
type Place = { readonly dueAt: number; readonly id: string }

type Line = { readonly by: number; readonly limit: number; readonly after: Place | null }

/** The subjects whose read is due by an instant (milliseconds since the epoch), longest due first. */
export async function dueAgreements(db: Db, { by, limit, after }: Line): Promise<AgreementSubject[]> {
  let due = subjects(db).where('read_due_at', '<=', by)
  if (after !== null)
    due = due
      .where('read_due_at', '>=', after.dueAt)
      .where((eb) => eb.or([eb('read_due_at', '>', after.dueAt), eb('id', '>', after.id)]))
  const rows = await due.orderBy('read_due_at').orderBy('id').limit(limit).execute()
  return rows.map(toSubject)
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

/** The same for every agreement that can still change. Gives how many. */
export async function planAllAgreementReadsBy(db: Db, at: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('agreements')
    .set({ read_due_at: noLaterThan(at.getTime()) })
    .where((eb) => eb.or([eb('status', 'is', null), eb('status', 'not in', ['cancelled', 'failed'])]))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
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
