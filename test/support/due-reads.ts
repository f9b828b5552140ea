import { READ_CLASSES, type ReadClass } from '../../src/domain/reads/read-schedule.ts'
import type { Store } from '../../src/ledger/store.ts'
import type { DueRead, ReadKind, ReadSubject } from '../../src/store/port.ts'

/** Later than any read of a test is planned for. */
const LAST = new Date(8.64e15)

async function planned(reads: Store['reads'], by: Date): Promise<DueRead[]> {
  const due = await reads.due({ readSites: await reads.sites(), by, limit: 10_000 })
  return due.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
}

/** Returns the payments and links that are due at any site, of all classes or of the given ones, longest due first. */
export async function dueReads(
  reads: Store['reads'],
  by: Date,
  limit = 100,
  classes: readonly ReadClass[] = READ_CLASSES,
): Promise<ReadSubject[]> {
  const due = (await planned(reads, by)).filter(
    ({ kind, readClass }) => isOfPayments(kind) && classes.includes(readClass),
  )
  const subjects = await Promise.all(due.slice(0, limit).map(({ id }) => reads.subject(id)))
  return subjects.filter((subject) => subject !== null)
}

/** Returns the ids of one kind that are due at any site, longest due first. */
export async function dueIds({ reads }: Pick<Store, 'reads'>, wanted: ReadKind, by: Date): Promise<string[]> {
  return (await planned(reads, by)).filter(({ kind }) => kind === wanted).map(({ id }) => id)
}

/** Returns when the next read is planned, of payments and links or of one kind; null if none is. */
export async function nextDue({ reads }: Pick<Store, 'reads'>, wanted: ReadKind | null = null): Promise<Date | null> {
  const all = await planned(reads, LAST)
  return all.find(({ kind }) => (wanted === null ? isOfPayments(kind) : kind === wanted))?.dueAt ?? null
}

function isOfPayments(kind: ReadKind): boolean {
  return kind === 'payment' || kind === 'link'
}

/** Plans a read of the class `poll`, which only the read schedule causes. */
export function pollAt(reads: Pick<Store['reads'], 'schedule'>, id: string, at: Date): Promise<void> {
  return reads.schedule(id, { at: at.getTime(), readClass: 'poll' })
}
