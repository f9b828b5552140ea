import type { ReadStore, ReadSubject } from '../read-store.ts'
import type { Db, Write } from '../unit.ts'
import { planRead, planReadBy } from './plan-read.ts'
import { readBacklog } from './read-backlog.ts'
import {
  dueSubjects,
  findLinkSubject,
  findPaymentSubject,
  placeOf,
  type Subject,
  toReadSubject,
} from './read-subjects.ts'
import { recordRead, takeAgain } from './record-read.ts'
import { pageOfUnfinal, startOfWalk } from './unfinal.ts'

/**
 * The reads that are planned, and what they showed. `lists` reads beside the event loop where it can, `clock` tells when a walk over
 * what is not final begins.
 */
export function createReadStore(reader: Db, lists: Db, write: Write, clock: () => Date): ReadStore {
  return {
    due: async (now, limit, after = null) =>
      (await dueSubjects(reader, { by: now.getTime(), limit, after: after && placeOf(after) })).map(toReadSubject),
    nextDue: () => nextDue(reader),
    subject: async (id) => {
      const found = await findSubject(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    record: (subject, report, at) => write((unit) => recordRead(unit, subject, { report, at })),
    postpone: (subject, until) => write(({ db }) => postpone(db, subject, until)),
    schedule: (id, at) => write(({ db }) => schedule(db, id, at)),
    backlog: (now) => readBacklog(lists, now.getTime()),
    unfinal: (after, limit) => pageOfUnfinal(reader, after ?? startOfWalk(clock()), limit),
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
  const { payment, link } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('payments')
        .select('read_due_at')
        .where('read_due_at', 'is not', null)
        .orderBy('read_due_at')
        .limit(1)
        .as('payment'),
      eb
        .selectFrom('links')
        .select('read_due_at')
        .where('read_due_at', 'is not', null)
        .orderBy('read_due_at')
        .limit(1)
        .as('link'),
    ])
    .executeTakeFirstOrThrow()
  const planned = [payment, link].filter((at) => at !== null)
  return planned.length === 0 ? null : new Date(Math.min(...planned))
}

/** A delivery that was stored since may have asked for a read now: it is not put off. */
async function postpone(db: Db, subject: ReadSubject, until: Date | null): Promise<void> {
  const current = await takeAgain(db, subject)
  if (current === null) return
  const dueAt = current.deliveries === subject.deliveries ? (until?.getTime() ?? null) : current.dueAt
  await planRead(db, current, { dueAt, failures: current.failures + 1 })
}

async function schedule(db: Db, id: string, at: Date): Promise<void> {
  const subject = await findSubject(db, id)
  if (subject !== null) await planReadBy(db, subject, at.getTime())
}
