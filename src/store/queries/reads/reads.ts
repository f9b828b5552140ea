import { READ_CLASSES, type ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { Db } from '../../group-commit.ts'
import type { Database } from '../../port.ts'
import { toAgreement } from '../../rows/agreement-rows.ts'
import { toPayout } from '../../rows/payout-rows.ts'
import type {
  DueReads,
  ReadBacklog,
  AgreementReadStore,
  AgreementReadSubject,
  PayoutReadStore,
  PayoutReadSubject,
} from '../../subject-stores.ts'
import {
  AGREEMENT_READS,
  firstDue,
  LINK_READS,
  PAYMENT_READS,
  PAYOUT_READS,
  sitesOf,
  countDue,
  dueRows,
  nearbySubjects,
  dueSubjects,
  findLinkSubject,
  findPaymentSubject,
  type ReadSubjectRow,
  toReadSubject,
} from './read-subjects.ts'

/** Creates the queries of planned reads of payments and links. `lists` reads outside the event loop where the database can. */
export function readQueries(reader: Db, lists: Db): Database['reads'] {
  return {
    sites: () => sitesOf(reader, [PAYMENT_READS, LINK_READS]),
    due: async ({ by, ...query }) => (await dueSubjects(reader, { ...query, by: by.getTime() })).map(toReadSubject),
    nextDue: () => nextDue(reader),
    subject: async (id) => {
      const found = await subjectById(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    nearby: async (subject, limit) => (await nearbySubjects(reader, subject, limit)).map(toReadSubject),
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

async function nextDue(db: Db): Promise<Date | null> {
  return earliest(db, [PAYMENT_READS, LINK_READS])
}

/** Returns when the next planned read of an agreement is due; null if none is planned. */
async function nextAgreementDue(db: Db): Promise<Date | null> {
  return earliest(db, [AGREEMENT_READS])
}

/** The same of a payout. */
async function nextPayoutDue(db: Db): Promise<Date | null> {
  return earliest(db, [PAYOUT_READS])
}

async function earliest(db: Db, sources: Parameters<typeof sitesOf>[1]): Promise<Date | null> {
  const lookUps = (await sitesOf(db, sources)).flatMap((readSite) =>
    READ_CLASSES.flatMap((readClass) => sources.map((source) => firstDue(db, source, { readSite, readClass }))),
  )
  const instants = (await Promise.all(lookUps)).filter((at) => at !== null)
  return instants.length === 0 ? null : new Date(Math.min(...instants))
}

/** Limit of each count, which bounds its cost: the exact number above it does not matter. */
export const COUNTED_AT_MOST = 10_000

const SOURCES = [PAYMENT_READS, LINK_READS, AGREEMENT_READS, PAYOUT_READS]

/** Returns the due reads, and since when payments have been unconfirmed. `now` in milliseconds since the epoch. */
async function readBacklog(db: Db, now: number): Promise<ReadBacklog> {
  const due: DueReads[] = []
  const payments: (number | null)[] = [await longestInDoubt(db, 'payments')]
  for (const readSite of await sitesOf(db, SOURCES))
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
  const counts = await Promise.all(SOURCES.map((source) => countDue(db, source, of)))
  const count = counts.reduce((sum, some) => sum + some, 0)
  if (count === 0) return []
  const firsts = await Promise.all(SOURCES.map((source) => firstDue(db, source, of)))
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

/** Creates the queries of planned reads of agreements. */
export function agreementReadQueries(reader: Db): Database['agreementReads'] {
  return {
    sites: () => sitesOf(reader, [AGREEMENT_READS]),
    due: (query) => dueAgreements(reader, query),
    nextDue: () => nextAgreementDue(reader),
    subject: (id) => findAgreement(reader, id),
  }
}

/** Returns the subject with this agreement id, or else this clientTransactionId. */
async function findAgreement(db: Db, id: string): Promise<AgreementReadSubject | null> {
  const byId = await agreementSubjects(db).where('id', '=', id).executeTakeFirst()
  const row = byId ?? (await agreementSubjects(db).where('client_transaction_id', '=', id).executeTakeFirst())
  return row === undefined ? null : toAgreementSubject(row)
}

/** Returns the subjects of these sites with a due read of one class, the longest due first. */
async function dueAgreements(db: Db, { by, ...query }: Parameters<AgreementReadStore['due']>[0]) {
  const ids = (await dueRows(db, [AGREEMENT_READS], { ...query, by: by.getTime() })).map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await agreementSubjects(db).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(toAgreementSubject).map((subject) => [subject.agreement.id, subject]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function agreementSubjects(db: Db) {
  return db.selectFrom('agreements').select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
}

type AgreementSubjectRow = Awaited<ReturnType<ReturnType<typeof agreementSubjects>['executeTakeFirstOrThrow']>>

function toAgreementSubject(row: AgreementSubjectRow): AgreementReadSubject {
  return {
    agreement: toAgreement(row.state_json),
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at === null ? null : new Date(row.read_due_at),
  }
}

/** Creates the queries of planned reads of payouts. */
export function payoutReadQueries(reader: Db): Database['payoutReads'] {
  return {
    sites: () => sitesOf(reader, [PAYOUT_READS]),
    due: (query) => duePayouts(reader, query),
    nextDue: () => nextPayoutDue(reader),
    async subject(id) {
      const row = await payoutSubjects(reader).where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : toPayoutSubject(row)
    },
  }
}

/** Returns the subjects of these sites with a due read of one class, the longest due first. */
async function duePayouts(db: Db, { by, ...query }: Parameters<PayoutReadStore['due']>[0]) {
  const ids = (await dueRows(db, [PAYOUT_READS], { ...query, by: by.getTime() })).map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await payoutSubjects(db).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(toPayoutSubject).map((subject) => [subject.payout.id, subject]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function payoutSubjects(db: Db) {
  return db.selectFrom('payout_records').select(['state_json', 'deliveries', 'read_failures', 'read_due_at'])
}

type PayoutSubjectRow = Awaited<ReturnType<ReturnType<typeof payoutSubjects>['executeTakeFirstOrThrow']>>

function toPayoutSubject(row: PayoutSubjectRow): PayoutReadSubject {
  return {
    payout: toPayout(row.state_json),
    deliveries: row.deliveries,
    failures: row.read_failures,
    dueAt: row.read_due_at === null ? null : new Date(row.read_due_at),
  }
}
