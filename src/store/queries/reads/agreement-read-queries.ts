import type { Db } from '../../decide.ts'
import type { Database } from '../../port.ts'
import { toAgreement } from '../../rows/agreement-rows.ts'
import type { AgreementReadStore, AgreementReadSubject } from '../../subject-stores.ts'
import { AGREEMENT_READS, dueRows, sitesOf } from './due-rows.ts'
import { nextAgreementDue } from './reads.ts'

/** Creates the queries of planned reads of agreements. */
export function agreementReadQueries(reader: Db): Database['agreementReads'] {
  return {
    sites: () => sitesOf(reader, [AGREEMENT_READS]),
    due: (query) => dueAgreements(reader, query),
    nextDue: () => nextAgreementDue(reader),
    subject: (id) => findSubject(reader, id),
  }
}

/** Returns the subject with this agreement id, or else this clientTransactionId. */
async function findSubject(db: Db, id: string): Promise<AgreementReadSubject | null> {
  const byId = await subjects(db).where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await subjects(db).where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : toSubject(row)
}

/** Returns the subjects of these sites with a due read of one class, the longest due first. */
async function dueAgreements(db: Db, { by, ...query }: Parameters<AgreementReadStore['due']>[0]) {
  const ids = (await dueRows(db, [AGREEMENT_READS], { ...query, by: by.getTime() })).map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await subjects(db).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(toSubject).map((subject) => [subject.agreement.id, subject]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function subjects(db: Db) {
  return db.selectFrom('agreements').select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
}

type SubjectRow = Awaited<ReturnType<ReturnType<typeof subjects>['executeTakeFirstOrThrow']>>

function toSubject(row: SubjectRow): AgreementReadSubject {
  return {
    agreement: toAgreement(row.state_json),
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at === null ? null : new Date(row.read_due_at),
  }
}
