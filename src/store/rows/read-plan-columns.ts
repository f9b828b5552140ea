import type { Generated } from 'kysely'
import type { ReadPlan } from '../../domain/reads/read-plan.ts'
import type { ReadClass } from '../../domain/reads/read-schedule.ts'
import type { StoredRow } from './table.ts'

/** When a subject is read again, as its table holds it. */
export type PlanTable = {
  read_due_at: number | null
  read_class: Generated<ReadClass>
  read_failures: Generated<number>
}

/** How its columns are stored. */
export const PLAN_COLUMNS = { read_due_at: 'integer', read_class: 'text', read_failures: 'integer' } as const

/** Reads the columns of a planned read. */
export function planOf(row: StoredRow): ReadPlan {
  return {
    dueAt: row['read_due_at'] as number | null,
    readClass: row['read_class'] as ReadClass,
    failures: Number(row['read_failures']),
  }
}

/** The columns of a planned read. */
export function planColumns({ dueAt, readClass, failures }: ReadPlan) {
  return { read_due_at: dueAt, read_class: readClass, read_failures: failures }
}
