import { replayableBody } from '../domain/delivery.ts'
import type { DeliveryRow } from '../store/rows/log-rows.ts'
import type { DeliveryReplay, ReplayOutcome } from '../store/store.ts'
import { findAttempt } from './find-payment.ts'
import { applyDelivery } from './receive.ts'
import { AGREEMENT } from './subjects/agreement-subject.ts'
import { PAYMENT } from './subjects/payment-subject.ts'
import { confirmBy, type Kind, type Ledger, type Subject } from './subjects/subject.ts'

/** Thrown to roll back a dry run; contains its outcome. */
export class DryRun extends Error {
  override readonly name = 'DryRun'
  readonly outcome: ReplayOutcome

  constructor(outcome: ReplayOutcome) {
    super('A dry run is undone.')
    this.outcome = outcome
  }
}

/**
 * Decides a stored delivery again, by the same code as on receipt. Without `apply` it throws `DryRun` with the outcome, so that the
 * transaction is rolled back.
 */
export function replayDelivery(ledger: Ledger, replay: DeliveryReplay): ReplayOutcome {
  const outcome = decideAnew(ledger, replay)
  if (!replay.apply) throw new DryRun(outcome)
  return outcome
}

function decideAnew(ledger: Ledger, { id, at, parse }: DeliveryReplay): ReplayOutcome {
  const { rows } = ledger
  const row = rows.deliveries.first('id', id)
  if (row === null) return { kind: 'not-found' }
  const replayable = replayableBody(row)
  if ('refusal' in replayable) return { kind: 'not-replayable', reason: replayable.refusal }
  const attempt = row.ref === null ? null : findAttempt(rows, row.ref)
  return attempt?.kind === 'agreement'
    ? replayAs(AGREEMENT, ledger, { row, at, report: parse.agreement(replayable.body) })
    : replayAs(PAYMENT, ledger, { row, at, report: parse.payment(replayable.body) })
}

function replayAs<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  { row, at, report }: { readonly row: DeliveryRow; readonly at: Date; readonly report: K['Report'] | null },
): ReplayOutcome {
  const { rows } = ledger
  if (report === null) return { kind: 'not-replayable', reason: 'UNREADABLE' }
  const target = subject.findTarget(rows, report, row.ref)
  if (target === null) return { kind: 'not-replayable', reason: 'MISADDRESSED' }
  const { outcome } = applyDelivery(subject, ledger, target, { row, at })
  const readDue = outcome.readDue || needsRead(row, outcome.disposition)
  const after = subject.find(rows, subject.idOf(report))
  if (after !== null && readDue && !outcome.readDue) subject.put(rows, confirmBy(after, at))
  return {
    kind: 'replayed',
    before: row.disposition,
    after: outcome.disposition,
    readDue,
    statusBefore: target.row?.state.statusRaw ?? null,
    statusAfter: after?.state.statusRaw ?? null,
  }
}

/** Returns whether the subject needs a read after a replay: a stored body is old and incomplete, and doubts have to be settled. */
function needsRead({ disposition: before }: DeliveryRow, after: DeliveryRow['disposition']): boolean {
  return before === 'DOUBTFUL' || after === 'APPLIED'
}
