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

/** Both in milliseconds since the epoch; `poll` is when something is read next although nothing asks for it. */
export type Poll = { readonly at: number; readonly poll: number | null }

/** A value for `read_due_at` in an upsert: a read that is due already, or is to be tried again sooner, stays planned. */
export function replacePoll(table: 'payments' | 'agreements', { at, poll }: Poll) {
  const due = sql.ref<number | null>(`${table}.read_due_at`)
  const failures = sql.ref<number>(`${table}.read_failures`)
  return sql<number | null>`case
    when ${due} <= ${at} or (${failures} > 0 and ${due} < excluded.read_due_at) then ${due}
    else ${poll} end`
}

type Plan = {
  readonly read_due_at: number | null | ReturnType<typeof noLaterThan>
  readonly read_failures?: number
}

async function setPlan(db: Db, { payment, link }: Planned, plan: Plan): Promise<void> {
  if (payment !== null) await db.updateTable('payments').set(plan).where('id', '=', payment.id).execute()
  else if (link !== null) await db.updateTable('links').set(plan).where('id', '=', link.id).execute()
}
