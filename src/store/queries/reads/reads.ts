import { READ_CLASSES } from '../../../domain/reads/read-schedule.ts'
import type { Database } from '../../port.ts'
import type { Db } from '../../unit.ts'
import { AGREEMENT_READS, firstDue, LINK_READS, PAYMENT_READS, PAYOUT_READS, sitesOf } from './due-rows.ts'
import { nearbySubjects } from './nearby-subjects.ts'
import { readBacklog } from './read-backlog.ts'
import {
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
