import { sql } from 'kysely'
import { AGREEMENT_STATUSES, type AgreementStatus } from '../../domain/agreements/agreement-report.ts'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { Db } from '../decide.ts'
import { toAgreement } from '../rows/agreement-rows.ts'
import type { PageQuery, Placed } from '../store.ts'
import type { AgreementFilter, AgreementStore } from '../subject-stores.ts'
import { lookUp, mergeRanges, type Range, newestFirst } from './newest-first.ts'
import { payersOfAgreements } from './payer-queries.ts'

/** Creates the queries of agreements and their payers. `lists` reads outside the event loop where the database can. */
export function createAgreementStore(reader: Db, lists: Db): AgreementStore {
  return {
    byIds: agreementsBy(reader, 'id'),
    byClientTransactionIds: agreementsBy(reader, 'client_transaction_id'),
    payers: (ids) => payersOfAgreements(reader, ids),
    page: (page, filter) => pageOfAgreements(lists, page, filter),
    snapshot: (id) => snapshot(reader, id),
  }
}

function agreementsBy(
  db: Db,
  column: 'id' | 'client_transaction_id',
): (values: readonly string[]) => Promise<Agreement[]> {
  const read = lookUp(db, (values) => db.selectFrom('agreements').select('state_json').where(column, 'in', values))
  return async (values) => (await read(values)).map((row) => toAgreement(row.state_json))
}

/** Null for an unknown status. */
const STATUSES = [...AGREEMENT_STATUSES, null] as const

/** Returns a page, with one index for any filter: it contains the agreements of each status in the order of the list. */
async function pageOfAgreements(
  db: Db,
  { limit, before }: PageQuery,
  {
    statuses = STATUSES,
    createdFrom,
    createdBefore,
  }: Omit<AgreementFilter, 'statuses'> & {
    readonly statuses?: readonly (AgreementStatus | null)[]
  },
): Promise<Placed<Agreement>[]> {
  if (statuses.length === 0) return []
  const asked = { from: createdFrom, until: createdBefore, before }
  const { order, conditions, placed } = newestFirst('agreements', 'created_at', asked)
  const ofStatus = (status: AgreementStatus | null): Range => [
    status === null ? sql`status is null` : sql`status = ${status}`,
  ]
  const rows = await mergeRanges(
    [...new Set(statuses)].map((status) => ofStatus(status).concat(conditions)),
    {
      order,
      limit,
      rowsWhere: (condition, end) =>
        db
          .selectFrom('agreements')
          .select(['number', 'created_at as at', 'state_json'])
          .where(condition)
          .modifyEnd(end)
          .execute(),
    },
  )
  return rows.map((row) => placed(row, toAgreement(row.state_json)))
}

/** Reads with one statement, and so from one snapshot. */
async function snapshot(db: Db, id: string): ReturnType<AgreementStore['snapshot']> {
  const row = await db
    .selectFrom('agreements')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'agreements.state_json'])
    .where('agreements.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { agreement: toAgreement(row.state_json), head: row.head }
}
