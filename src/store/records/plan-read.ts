import { sql } from 'kysely'
import type { Db } from '../unit.ts'
import type { Subject } from './read-subjects.ts'

type Planned = Pick<Subject, 'payment' | 'link'>

/** Sets when a subject is read next (milliseconds since the epoch, null for never), and how many reads failed in a row. */
export async function planRead(
  db: Db,
  subject: Planned,
  { dueAt, failures }: { dueAt: number | null; failures: number },
): Promise<void> {
  await setPlan(db, subject, { read_due_at: dueAt, read_failures: failures })
}

/** Has a subject read at an instant (milliseconds since the epoch), unless a read is planned for an earlier one. */
export async function planReadBy(db: Db, subject: Planned, at: number): Promise<void> {
  await setPlan(db, subject, { read_due_at: noLaterThan(at) })
}

/** A value for `read_due_at`: a read that was due before stays due since then, so that the longest due comes first. */
export function noLaterThan(at: number) {
  return sql<number>`case when read_due_at < ${at} then read_due_at else ${at} end`
}

type Plan = {
  readonly read_due_at: number | null | ReturnType<typeof noLaterThan>
  readonly read_failures?: number
}

async function setPlan(db: Db, { payment, link }: Planned, plan: Plan): Promise<void> {
  if (payment !== null) await db.updateTable('payments').set(plan).where('id', '=', payment.id).execute()
  else if (link !== null) await db.updateTable('links').set(plan).where('id', '=', link.id).execute()
}
