import type { Generated } from 'kysely'
import type { ReadPlan, ReadClass } from '../../domain/reads/read-schedule.ts'
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

const DAY_MS = 86_400_000
/** `00` to `99` */
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
/** Cache of the last formatted day: most instants are close to each other, and formatting with `Date` takes several times as long. */
let lastDay = { number: 0, text: '1970-01-01T' }

/** Returns an instant in the format of the domain, ISO 8601 in UTC with milliseconds, from the milliseconds of a column. */
export function toIso(milliseconds: number): string {
  const number = Math.floor(milliseconds / DAY_MS)
  if (number !== lastDay.number) lastDay = { number, text: dayOf(number * DAY_MS) }
  const rest = milliseconds - number * DAY_MS
  const seconds = Math.floor(rest / 1_000)
  const minutes = Math.floor(seconds / 60)
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  return `${lastDay.text}${clock}.${String(Math.floor(rest % 1_000)).padStart(3, '0')}Z`
}

/** Returns the date and `T`. Throws `RangeError` if the argument is not a valid instant. */
function dayOf(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString()
  return text.slice(0, text.indexOf('T') + 1)
}

function two(number: number): string {
  return TWO_DIGITS[number] ?? ''
}

/** Returns the milliseconds since the epoch of an ISO 8601 instant. Throws `RangeError` if the argument is not one. */
export function fromIso(instant: string): number {
  const milliseconds = Date.parse(instant)
  if (Number.isNaN(milliseconds)) throw new RangeError('What should be an instant is none.')
  return milliseconds
}
