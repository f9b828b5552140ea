import { READ_CLASSES, type ReadClass } from '../../src/domain/reads/read-schedule.ts'
import type { DueReadsQuery, ReadStore } from '../../src/store/store.ts'

type Reads<Subject> = {
  sites(): Promise<string[]>
  due(query: DueReadsQuery): Promise<Subject[]>
}

/** Returns the subjects that are due at any site, of all classes or of the given ones, longest due first. */
export async function dueReads<Subject extends { readonly dueAt: Date | null }>(
  reads: Reads<Subject>,
  by: Date,
  limit = 100,
  classes: readonly ReadClass[] = READ_CLASSES,
): Promise<Subject[]> {
  const readSites = await reads.sites()
  const due: Subject[] = []
  for (const readClass of classes) due.push(...(await reads.due({ readSites, readClass, by, limit })))
  return due.sort((a, b) => (a.dueAt?.getTime() ?? 0) - (b.dueAt?.getTime() ?? 0)).slice(0, limit)
}

/** Plans a read of the class `poll`, which only the read schedule causes. */
export function pollAt(reads: Pick<ReadStore, 'schedule'>, id: string, at: Date): Promise<void> {
  return reads.schedule(id, { at: at.getTime(), readClass: 'poll' })
}
