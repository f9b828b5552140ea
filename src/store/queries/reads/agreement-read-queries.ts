import type { AgreementReadStore, AgreementReadSubject } from '../../agreement-store.ts'
import type { Database } from '../../port.ts'
import { toAgreement } from '../../rows/agreement-rows.ts'
import type { Db } from '../../unit.ts'
import { AGREEMENT_READS, dueRows, sitesOf } from './due-rows.ts'
import { nextAgreementDue } from './reads.ts'

/** The reads of agreements that are planned. */
export function agreementReadQueries(reader: Db): Database['agreementReads'] {
  return {
    sites: () => sitesOf(reader, [AGREEMENT_READS]),
    due: (query) => dueAgreements(reader, query),
    nextDue: () => nextAgreementDue(reader),
    subject: (id) => findSubject(reader, id),
  }
}

/** The subject with this agreement id or, failing that, this clientTransactionId. */
async function findSubject(db: Db, id: string): Promise<AgreementReadSubject | null> {
  const byId = await subjects(db).where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await subjects(db).where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : toSubject(row)
}

/** The subjects of these sites whose read of one class is due, longest due first. */
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
