import { type RawBuilder, sql } from 'kysely'
import type { PlannedRead, ReadClass } from '../../domain/read-schedule.ts'
import type { Db } from '../unit.ts'
import type { Subject } from './read-subjects.ts'

type Planned = Pick<Subject, 'payment' | 'link'>

/** Sets when a subject is read next (null for never), and how many reads failed in a row. */
export async function planRead(
  db: Db,
  subject: Planned,
  { next, failures }: { next: PlannedRead | null; failures: number },
): Promise<void> {
  await setPlan(db, subject, { ...columnsOf(next), read_failures: failures })
}

/** Has a subject read at an instant (milliseconds since the epoch; null for never) after a read without a result. */
export async function planRetry(
  db: Db,
  subject: Planned,
  { dueAt, failures }: { dueAt: number | null; failures: number },
): Promise<void> {
  await setPlan(db, subject, { read_due_at: dueAt, read_failures: failures })
}

/** Has a subject read as planned, unless a read is planned for earlier, or is more urgent. */
export async function planReadBy(db: Db, subject: Planned, next: PlannedRead): Promise<void> {
  await setPlan(db, subject, noLaterThan(next))
}

/** The columns of a planned read. The class of a read that is never made tells nothing. */
export function columnsOf(next: PlannedRead | null) {
  return next === null ? { read_due_at: null } : { read_due_at: next.at, read_class: next.readClass }
}

/** An instant, or what the database works it out of. */
type PlannedReadValue = Omit<PlannedRead, 'at'> & { readonly at: number | RawBuilder<number> }

const dueAt = sql.ref<number | null>('read_due_at')
const readClass = sql.ref<ReadClass>('read_class')

/**
 * Values for the columns of a planned read. A doubt counts from the instant at which it arose, so it replaces a poll that
 * was due before; of two doubts, or two others, the one that is due first stays.
 */
export function noLaterThan({ at, readClass: wanted }: PlannedReadValue) {
  const stays = wanted === 'doubt' ? sql`${readClass} = 'doubt' and ${dueAt} < ${at}` : sql`${dueAt} < ${at}`
  const keepsClass =
    wanted === 'doubt' ? sql`1 = 0` : sql`${dueAt} is not null and (${dueAt} < ${at} or ${readClass} = 'doubt')`
  return {
    read_due_at: sql<number>`case when ${stays} then ${dueAt} else ${at} end`,
    read_class: sql<ReadClass>`case when ${keepsClass} then ${readClass} else ${wanted} end`,
  }
}

/** `next` is when something is read next although nothing asks for it; `at` is now, in milliseconds since the epoch. */
export type Poll = { readonly at: number; readonly next: PlannedRead | null }

/** Values for an upsert: a read that is due already, or is to be tried again sooner, stays planned. */
export function replacePoll(table: 'payments' | 'agreements', { at, next }: Poll) {
  const due = sql.ref<number | null>(`${table}.read_due_at`)
  const current = sql.ref<ReadClass>(`${table}.read_class`)
  const failures = sql.ref<number>(`${table}.read_failures`)
  const stays = sql`${due} <= ${at} or (${failures} > 0 and ${due} < excluded.read_due_at)`
  return {
    read_due_at: sql<number | null>`case when ${stays} then ${due} else ${next?.at ?? null} end`,
    read_class: sql<ReadClass>`case when ${stays} then ${current} else ${next?.readClass ?? 'poll'} end`,
  }
}

type Plan = {
  readonly read_due_at: number | null | ReturnType<typeof noLaterThan>['read_due_at']
  readonly read_class?: ReadClass | ReturnType<typeof noLaterThan>['read_class']
  readonly read_failures?: number
}

async function setPlan(db: Db, { payment, link }: Planned, plan: Plan): Promise<void> {
  if (payment !== null) await db.updateTable('payments').set(plan).where('id', '=', payment.id).execute()
  else if (link !== null) await db.updateTable('links').set(plan).where('id', '=', link.id).execute()
}
