import type { AgreementReport } from '../../domain/agreement-report.ts'
import { nextAgreementPoll, readAgain } from '../../domain/read-schedule.ts'
import type { AgreementReadStore, AgreementReadSubject } from '../agreement-store.ts'
import type { ReadOutcome } from '../read-store.ts'
import type { Db, Write, WriteUnit } from '../unit.ts'
import {
  type AgreementSubject,
  dueAgreements,
  findAgreementSubject,
  planAgreementRead,
  planAllAgreementReadsBy,
} from './agreement-subjects.ts'
import { applyAgreementAnswer } from './change-agreement.ts'

/** The reads of agreements that are planned, and what they showed. */
export function createAgreementReadStore(reader: Db, write: Write): AgreementReadStore {
  return {
    due: async (now, limit, after = null) =>
      (await dueAgreements(reader, { by: now.getTime(), limit, after: after && placeOf(after) })).map(toReadSubject),
    nextDue: () => nextDue(reader),
    subject: async (id) => {
      const found = await findAgreementSubject(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    record: (subject, report, at) => write((unit) => record(unit, subject, { report, at })),
    postpone: (subject, until) => write(({ db }) => postpone(db, subject, until)),
    scheduleAll: (at) => write(({ db }) => planAllAgreementReadsBy(db, at)),
  }
}

function toReadSubject({ agreement, deliveries, failures, dueAt }: AgreementSubject): AgreementReadSubject {
  return { agreement, deliveries, failures, dueAt: dueAt === null ? null : new Date(dueAt) }
}

function placeOf({ agreement: { id }, dueAt }: AgreementReadSubject) {
  return { dueAt: dueAt?.getTime() ?? 0, id }
}

async function nextDue(db: Db): Promise<Date | null> {
  const row = await db
    .selectFrom('agreements')
    .select('read_due_at')
    .where('read_due_at', 'is not', null)
    .orderBy('read_due_at')
    .limit(1)
    .executeTakeFirst()
  return row === undefined || row.read_due_at === null ? null : new Date(row.read_due_at)
}

async function record(
  unit: WriteUnit,
  asked: AgreementReadSubject,
  { report, at }: { report: AgreementReport; at: Date },
): Promise<ReadOutcome> {
  const { id } = asked.agreement
  const subject = await findAgreementSubject(unit.db, id)
  if (subject === null || subject.deliveries !== asked.deliveries) return 'superseded'
  const answer = { source: 'READ', report, at, overtaken: false } as const
  const applied = await applyAgreementAnswer(unit, subject.agreement, answer)
  const plan =
    applied === null
      ? { dueAt: readAgain(at.getTime(), subject.failures), failures: subject.failures + 1 }
      : { dueAt: nextAgreementPoll(applied.agreement, at.getTime()), failures: 0 }
  await planAgreementRead(unit.db, id, plan)
  if (applied === null) return 'fruitless'
  return applied.changed ? 'changed' : 'confirmed'
}

/** A callback that was stored since may have asked for a read now: it is not put off. */
async function postpone(db: Db, asked: AgreementReadSubject, until: Date | null): Promise<void> {
  const { id } = asked.agreement
  const current = await findAgreementSubject(db, id)
  if (current === null) return
  const dueAt = current.deliveries === asked.deliveries ? (until?.getTime() ?? null) : current.dueAt
  await planAgreementRead(db, id, { dueAt, failures: current.failures + 1 })
}
