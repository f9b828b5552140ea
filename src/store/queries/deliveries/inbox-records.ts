import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Delivery } from '../../../domain/delivery.ts'
import { toDelivery } from '../../rows/log-rows.ts'
import type { DeliveryFilter, PageQuery } from '../../store.ts'
import type { Db } from '../../unit.ts'
import { grouped, mergeRanges, oneOf, type Range } from '../merge-ranges.ts'
import { ROW_NUMBER } from '../newest-first.ts'
import { unindexed } from '../unindexed.ts'
import { subjectsInDoubt } from './delivery-backlog.ts'

/** Returns the deliveries with these ids, in any order. */
export async function findDeliveries(db: Db, ids: readonly string[]): Promise<Delivery[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('deliveries').selectAll().where('id', 'in', ids).execute()
  return rows.map(toDelivery)
}

/** Returns a page of deliveries, newest first: from the index by subject, else from that by disposition, else from the table. */
export async function pageOfDeliveries(
  db: Db,
  { limit, before }: PageQuery,
  filter: DeliveryFilter,
): Promise<Delivery[]> {
  const subjectIds = filter.subjectIds && [...new Set(filter.subjectIds)]
  const dispositions = filter.dispositions && [...new Set(filter.dispositions)]
  if (subjectIds?.length === 0 || dispositions?.length === 0) return []
  const rowsWhere = (condition: Expression<SqlBool>, end: RawBuilder<unknown>) =>
    db.selectFrom('deliveries').selectAll().where(condition).modifyEnd(end).execute()
  // With the expression the table cannot be scanned in the order of its key: that would be slow if few rows match.
  const inOrder =
    filter.needsAttention !== true &&
    (subjectIds === undefined ? dispositions === undefined : grouped(subjectIds).every(({ length }) => length === 1))
  const number = inOrder ? sql.ref('number') : ROW_NUMBER
  const order = { table: 'deliveries', columns: [{ name: 'number', by: number }], direction: 'desc' } as const
  const onwards = before === null ? [] : [sql<SqlBool>`${number} < ${before.number}`]
  const asked =
    filter.needsAttention === true
      ? await rangesOfAttention(db, subjectIds, dispositions)
      : rangesOf(subjectIds, dispositions)
  if (asked.length === 0) return []
  const ranges = asked.map((range) => range.concat(onwards))
  const rows = await mergeRanges(ranges, { order, limit, rowsWhere })
  return rows.map(toDelivery)
}

function rangesOf(subjectIds?: readonly string[], dispositions?: readonly string[]): Range[] {
  if (subjectIds === undefined) return dispositions?.map((name) => [sql`disposition = ${name}`]) ?? [[]]
  const only =
    dispositions === undefined ? [] : [sql<SqlBool>`${unindexed(sql`disposition`)} in (${sql.join(dispositions)})`]
  return grouped(subjectIds).map((ids) => [oneOf(sql.ref('subject_id'), ids)].concat(only))
}

/** QUARANTINED deliveries, and DOUBTFUL ones while their subject is in doubt. These subjects are few, and DOUBTFUL deliveries are kept forever. */
async function rangesOfAttention(
  db: Db,
  subjectIds: readonly string[] | undefined,
  dispositions: readonly string[] = ['QUARANTINED', 'DOUBTFUL'],
): Promise<Range[]> {
  const quarantined = dispositions.includes('QUARANTINED') ? rangesOf(subjectIds, ['QUARANTINED']) : []
  if (!dispositions.includes('DOUBTFUL')) return quarantined
  const inDoubt = await subjectsInDoubt(db)
  const doubtful = subjectIds === undefined ? inDoubt : inDoubt.filter((id) => subjectIds.includes(id))
  return doubtful.length === 0 ? quarantined : [...quarantined, ...rangesOf(doubtful, ['DOUBTFUL'])]
}
