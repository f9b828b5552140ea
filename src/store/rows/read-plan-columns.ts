import type { Generated } from 'kysely'
import type { ReadPlan } from '../../domain/reads/read-plan.ts'
import type { ReadClass } from '../../domain/reads/read-schedule.ts'
import type { StoredRow } from './table.ts'

/** The columns of a planned read in the table of its subject. */
export type PlanTable = {
  read_due_at: number | null
  read_class: Generated<ReadClass>
  read_failures: Generated<number>
}

/** The types of these columns. */
export const PLAN_COLUMNS = { read_due_at: 'integer', read_class: 'text', read_failures: 'integer' } as const

/** Returns the planned read of a row. */
export function planOf(row: StoredRow): ReadPlan {
  return {
    dueAt: row['read_due_at'] as number | null,
    readClass: row['read_class'] as ReadClass,
    failures: Number(row['read_failures']),
  }
}

/** Returns the columns of a planned read. */
export function planColumns({ dueAt, readClass, failures }: ReadPlan) {
  return { read_due_at: dueAt, read_class: readClass, read_failures: failures }
}
