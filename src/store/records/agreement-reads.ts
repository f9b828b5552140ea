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
  planAgreementRetry,
} from './agreement-subjects.ts'
import { applyAgreementAnswer } from './change-agreement.ts'
import { AGREEMENT_READS, sitesOf } from './due-rows.ts'
import { nextAgreementDue } from './reads.ts'

/** The reads of agreements that are planned, and what they showed. */
export function createAgreementReadStore(reader: Db, write: Write): AgreementReadStore {
  return {
    sites: () => sitesOf(reader, [AGREEMENT_READS]),
    due: async ({ by, ...query }) => (await dueAgreements(reader, { ...query, by: by.getTime() })).map(toReadSubject),
    nextDue: () => nextAgreementDue(reader),
    subject: async (id) => {
      const found = await findAgreementSubject(reader, id)
      return found === null ? null : toReadSubject(found)
    },
    record: (subject, report, at) => write((unit) => record(unit, subject, { report, at })),
    postpone: (subject, until) => write(({ db }) => postpone(db, subject, until)),
  }
}

function toReadSubject({ agreement, deliveries, failures, dueAt }: AgreementSubject): AgreementReadSubject {
  return { agreement, deliveries, failures, dueAt: dueAt === null ? null : new Date(dueAt) }
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
  if (applied === null) {
    const dueAt = readAgain(at.getTime(), subject.failures)
    await planAgreementRetry(unit.db, id, { dueAt, failures: subject.failures + 1 })
    return 'fruitless'
  }
  const next = nextAgreementPoll(applied.agreement, at.getTime(), unit.refundWindowMs)
  await planAgreementRead(unit.db, id, { next, failures: 0 })
  return applied.changed ? 'changed' : 'confirmed'
}

/** A callback that was stored since may have asked for a read now: it is not put off. */
async function postpone(db: Db, asked: AgreementReadSubject, until: Date | null): Promise<void> {
  const { id } = asked.agreement
  const current = await findAgreementSubject(db, id)
  if (current === null) return
  const dueAt = current.deliveries === asked.deliveries ? (until?.getTime() ?? null) : current.dueAt
  await planAgreementRetry(db, id, { dueAt, failures: current.failures + 1 })
}
