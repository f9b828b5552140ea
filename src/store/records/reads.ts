import { type PlannedRead, READ_CLASSES } from '../../domain/read-schedule.ts'
import type { ReadStore, ReadSubject } from '../read-store.ts'
import type { Db, Write } from '../unit.ts'
import { confirmListed } from './confirm-listed.ts'
import { AGREEMENT_READS, firstDue, LINK_READS, PAYMENT_READS, sitesOf } from './due-rows.ts'
import { nearbySubjects } from './nearby-subjects.ts'
import { planReadBy, planRetry } from './plan-read.ts'
import { readBacklog } from './read-backlog.ts'
import { dueSubjects, findLinkSubject, findPaymentSubject, type Subject, toReadSubject } from './read-subjects.ts'
import { recordRead, takeAgain } from './record-read.ts'

/** The reads that are planned, and what they showed. `lists` reads beside the event loop where it can. */
export function createReadStore(reader: Db, lists: Db, write: Write): ReadStore {
  return {
    sites: () => sitesOf(reader, [PAYMENT_READS, LINK_READS]),
    due: async ({ by, ...query }) => (await dueSubjects(reader, { ...query, by: by.getTime() })).map(toReadSubject),
    nextDue: () => nextDue(reader),
    subject: async (id) => {
      const found = await findSubject(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    nearby: async (subject, limit) => (await nearbySubjects(reader, subject, limit)).map(toReadSubject),
    record: (subject, report, at) => write((unit) => recordRead(unit, subject, { report, at })),
    confirmListed: (subject, report, at) => write((unit) => confirmListed(unit, subject, { report, at })),
    postpone: (subject, until) => write(({ db }) => postpone(db, subject, until)),
    schedule: (id, next) => write(({ db }) => schedule(db, id, next)),
    backlog: (now) => readBacklog(lists, now.getTime()),
  }
}

async function findSubject(db: Db, id: string): Promise<Subject | null> {
  const payment = await findPaymentSubject(db, id)
  if (payment !== null) return payment
  const link = await findLinkSubject(db, id)
  const speaker = link?.link?.paymentId ?? null
  return speaker === null ? link : findPaymentSubject(db, speaker)
}

async function nextDue(db: Db): Promise<Date | null> {
  return earliest(db, [PAYMENT_READS, LINK_READS])
}

/** The same for agreements. */
export async function nextAgreementDue(db: Db): Promise<Date | null> {
  return earliest(db, [AGREEMENT_READS])
}

async function earliest(db: Db, sources: Parameters<typeof sitesOf>[1]): Promise<Date | null> {
  const lookUps = (await sitesOf(db, sources)).flatMap((readSite) =>
    READ_CLASSES.flatMap((readClass) => sources.map((source) => firstDue(db, source, { readSite, readClass }))),
  )
  const instants = (await Promise.all(lookUps)).filter((at) => at !== null)
  return instants.length === 0 ? null : new Date(Math.min(...instants))
}

/** A delivery that was stored since may have asked for a read now: it is not put off. */
async function postpone(db: Db, subject: ReadSubject, until: Date | null): Promise<void> {
  const current = await takeAgain(db, subject)
  if (current === null) return
  const dueAt = current.deliveries === subject.deliveries ? (until?.getTime() ?? null) : current.dueAt
  await planRetry(db, current, { dueAt, failures: current.failures + 1 })
}

async function schedule(db: Db, id: string, next: PlannedRead): Promise<void> {
  const subject = await findSubject(db, id)
  if (subject !== null) await planReadBy(db, subject, next)
}
