import type { Db } from '../../decide.ts'
import type { Database } from '../../port.ts'
import { toPayout } from '../../rows/payout-rows.ts'
import type { PayoutReadStore, PayoutReadSubject } from '../../subject-stores.ts'
import { dueRows, PAYOUT_READS, sitesOf } from './due-rows.ts'
import { nextPayoutDue } from './reads.ts'

/** Creates the queries of planned reads of payouts. */
export function payoutReadQueries(reader: Db): Database['payoutReads'] {
  return {
    sites: () => sitesOf(reader, [PAYOUT_READS]),
    due: (query) => duePayouts(reader, query),
    nextDue: () => nextPayoutDue(reader),
    async subject(id) {
      const row = await subjects(reader).where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : toSubject(row)
    },
  }
}

/** Returns the subjects of these sites with a due read of one class, the longest due first. */
async function duePayouts(db: Db, { by, ...query }: Parameters<PayoutReadStore['due']>[0]) {
  const ids = (await dueRows(db, [PAYOUT_READS], { ...query, by: by.getTime() })).map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await subjects(db).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(toSubject).map((subject) => [subject.payout.id, subject]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function subjects(db: Db) {
  return db.selectFrom('payout_records').select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
}

type SubjectRow = Awaited<ReturnType<ReturnType<typeof subjects>['executeTakeFirstOrThrow']>>

function toSubject(row: SubjectRow): PayoutReadSubject {
  return {
    payout: toPayout(row.state_json),
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at === null ? null : new Date(row.read_due_at),
  }
}
