import { READ_CLASSES, type ReadClass } from '../../../domain/reads/read-schedule.ts'
import type { Db } from '../../decide.ts'
import type { Database } from '../../port.ts'
import type { DueReads, ReadBacklog } from '../../read-store.ts'
import { AGREEMENT_READS, firstDue, LINK_READS, PAYMENT_READS, PAYOUT_READS, sitesOf, countDue } from './due-rows.ts'
import {
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
      const found = await findSubject(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    nearby: async (subject, limit) => (await nearbySubjects(reader, subject, limit)).map(toReadSubject),
    backlog: (now) => readBacklog(lists, now.getTime()),
  }
}

async function findSubject(db: Db, id: string): Promise<ReadSubjectRow | null> {
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
export async function nextAgreementDue(db: Db): Promise<Date | null> {
  return earliest(db, [AGREEMENT_READS])
}

/** The same of a payout. */
export async function nextPayoutDue(db: Db): Promise<Date | null> {
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
