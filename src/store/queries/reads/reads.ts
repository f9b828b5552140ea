import { READ_CLASSES, type ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { Db } from '../../group-commit.ts'
import type { Database } from '../../port.ts'
import { toAgreement } from '../../rows/agreement-rows.ts'
import { toPayout } from '../../rows/payout-rows.ts'
import type { DueReads, PaymentsReadBacklog, AgreementReadSubject, PayoutReadSubject } from '../../subject-stores.ts'
import {
  firstDue,
  PAYMENT_READS,
  READ_SOURCES,
  sitesOf,
  countDue,
  dueReads,
  findLinkSubject,
  findPaymentSubject,
  type ReadSubjectRow,
  toReadSubject,
} from './read-subjects.ts'

/** Creates the queries of planned reads. `lists` reads outside the event loop where the database can. */
export function readQueries(reader: Db, lists: Db): Database['reads'] {
  return {
    sites: () => sitesOf(reader, READ_SOURCES),
    due: (query) => dueReads(reader, query),
    subject: async (id) => {
      const found = await subjectById(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    backlog: (now) => readBacklog(lists, now.getTime()),
  }
}

async function subjectById(db: Db, id: string): Promise<ReadSubjectRow | null> {
  const payment = await findPaymentSubject(db, id)
  if (payment !== null) return payment
  const link = await findLinkSubject(db, id)
  const speaker = link?.link?.paymentId ?? null
  return speaker === null ? link : findPaymentSubject(db, speaker)
}

/** Limit of each count, which bounds its cost: the exact number above it does not matter. */
export const COUNTED_AT_MOST = 10_000

/** Returns the due reads, and since when payments have been unconfirmed. `now` in milliseconds since the epoch. */
async function readBacklog(db: Db, now: number): Promise<PaymentsReadBacklog> {
  const due: DueReads[] = []
  const payments: (number | null)[] = [await longestInDoubt(db, 'payments')]
  for (const readSite of await sitesOf(db, READ_SOURCES))
    for (const readClass of READ_CLASSES) {
      due.push(...(await dueOf(db, { readSite, readClass, now })))
      payments.push(await firstDue(db, PAYMENT_READS, { readSite, readClass }))
    }
  const doubts = due.flatMap(({ readClass, since }) => (readClass === 'doubt' ? since.getTime() : []))
  const others = await Promise.all([longestInDoubt(db, 'agreements'), longestInDoubt(db, 'payout_records')])
  const waiting = due.reduce((sum, { count }) => sum + count, 0)
  return {
    waiting: Math.min(waiting, COUNTED_AT_MOST),
    due,
    unconfirmedSince: oldest(payments, now),
    doubtSince: oldest([...doubts, payments[0] ?? null, ...others], now),
  }
}

async function dueOf(
  db: Db,
  { readSite, readClass, now }: { readSite: string; readClass: ReadClass; now: number },
): Promise<DueReads[]> {
  const of = { readSite, readClass, by: now, limit: COUNTED_AT_MOST }
  const counts = await Promise.all(READ_SOURCES.map((source) => countDue(db, source, of)))
  const count = counts.reduce((sum, some) => sum + some, 0)
  if (count === 0) return []
  const firsts = await Promise.all(READ_SOURCES.map((source) => firstDue(db, source, of)))
  const since = Math.min(...firsts.filter((at) => at !== null))
  return [{ readSite, readClass, count: Math.min(count, COUNTED_AT_MOST), since: new Date(since) }]
}

/** Returns the last change of the payment, agreement or payout that has been provisional for longest; null if none is. */
async function longestInDoubt(db: Db, table: 'payments' | 'agreements' | 'payout_records'): Promise<number | null> {
  // The condition of the partial index is a literal, because with a parameter the planner would not use the index.
  const row = await db
    .selectFrom(table)
    .select('updated_at as since')
    .where((eb) => eb('provisional', '=', eb.lit(1)))
    .orderBy('updated_at')
    .limit(1)
    .executeTakeFirst()
  return row?.since ?? null
}

function oldest(instants: readonly (number | null)[], now: number): Date | null {
  const past = instants.filter((at) => at !== null).filter((at) => at < now)
  return past.length === 0 ? null : new Date(Math.min(...past))
}

/** Returns the subject with this agreement id, or else this clientTransactionId. */
export async function findAgreementSubject(db: Db, id: string): Promise<AgreementReadSubject | null> {
  const agreements = db.selectFrom('agreements').select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
  const byId = await agreements.where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await agreements.where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : { agreement: toAgreement(row.state_json), ...toReadState(row) }
}

/** Returns the subject with this payout id. */
export async function findPayoutSubject(db: Db, id: string): Promise<PayoutReadSubject | null> {
  const row = await db
    .selectFrom('payout_records')
    .select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { payout: toPayout(row.state_json), ...toReadState(row) }
}

type ReadColumns = { readonly deliveries: number; readonly read_failures: number; readonly read_due_at: number | null }

function toReadState({ deliveries, read_failures: failures, read_due_at: at }: ReadColumns) {
  return { deliveries, failures, dueAt: at === null ? null : new Date(at) }
}
