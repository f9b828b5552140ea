import type { ReadPlan } from '../../domain/reads/read-plan.ts'
import type { ReadClass } from '../../domain/reads/read-schedule.ts'
import type { StoredRow } from './table.ts'

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
