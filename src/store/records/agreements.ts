import type { Agreement } from '../../domain/agreement.ts'
import type { AgreementFilter, AgreementStore } from '../agreement-store.ts'
import type { Numbered, Page } from '../store.ts'
import type { Db } from '../unit.ts'
import { agreementPayersOf, toAgreement } from './agreement-records.ts'

/** The agreements as their events have made them, and who is debited. */
export function createAgreementStore(reader: Db): AgreementStore {
  return {
    byIds: (ids) => agreementsBy(reader, 'id', ids),
    byClientTransactionIds: (ids) => agreementsBy(reader, 'client_transaction_id', ids),
    payers: (ids) => agreementPayersOf(reader, ids),
    page: (page, filter) => pageOfAgreements(reader, page, filter),
    snapshot: (id) => snapshot(reader, id),
  }
}

async function agreementsBy(
  db: Db,
  column: 'id' | 'client_transaction_id',
  values: readonly string[],
): Promise<Agreement[]> {
  if (values.length === 0) return []
  const rows = await db.selectFrom('agreements').select('state_json').where(column, 'in', values).execute()
  return rows.map((row) => toAgreement(row.state_json))
}

async function pageOfAgreements(
  db: Db,
  { limit, before }: Page,
  { statuses, createdFrom, createdBefore }: AgreementFilter,
): Promise<Numbered<Agreement>[]> {
  if (statuses?.length === 0) return []
  let query = db.selectFrom('agreements').select(['number', 'state_json'])
  if (before !== null) query = query.where('number', '<', before)
  if (statuses !== undefined) query = query.where('status', 'in', statuses)
  if (createdFrom !== undefined) query = query.where('created_at', '>=', createdFrom.getTime())
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore.getTime())
  const rows = await query.orderBy('number', 'desc').limit(limit).execute()
  return rows.map(({ number, state_json }) => ({ number, row: toAgreement(state_json) }))
}

/** One statement, and so one moment. */
async function snapshot(db: Db, id: string): ReturnType<AgreementStore['snapshot']> {
  const row = await db
    .selectFrom('agreements')
    .innerJoin('log_head', (join) => join.on('log_head.id', '=', 1))
    .select(['log_head.position as head', 'agreements.state_json'])
    .where('agreements.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { agreement: toAgreement(row.state_json), head: row.head }
}
