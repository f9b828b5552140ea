import { replayableBody } from '../domain/delivery.ts'
import { hasBecomePaid, isOrphan } from '../domain/payments/attribution.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type {
  ReceivedDelivery,
  DeliveryOutcome,
  IncomingCallback,
  IncomingDelivery,
  KeptCallback,
  OrphanLink,
  DeliveryReplay,
  ReplayOutcome,
} from '../store/port.ts'
import { deliveryKey } from '../store/rows/delivery-key.ts'
import type { DeliveryRow } from '../store/rows/log-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { AGREEMENT } from './subjects/agreement-subject.ts'
import { PAYMENT, type PaymentTarget } from './subjects/payment-subject.ts'
import {
  findAttempt,
  linkOf,
  confirmBy,
  type Kind,
  type Ledger,
  recordChange,
  type Subject,
  type Target,
} from './subjects/subject.ts'

/**
 * Stores a payment webhook and applies its report. A repeat of the same bytes only counts an attempt (and plans a read, if the domain decides
 * so).
 */
export function receivePayment(ledger: Ledger, delivery: IncomingDelivery): DeliveryOutcome {
  return receive(PAYMENT, ledger, delivery, (target, outcome, after) => {
    const orphan = orphanOf(ledger.rows, target, after, delivery.receivedAt)
    return orphan === null ? outcome : { ...outcome, orphan }
  })
}

/** Returns the same for the callbacks of another kind. One about another object than that of its URL is QUARANTINED. */
export function receiveCallback<K extends Kind>(subject: Subject<K>) {
  return (ledger: Ledger, callback: IncomingCallback<K['Report']>): DeliveryOutcome =>
    receive(subject, ledger, callback, (_target, outcome) => outcome)
}

/**
 * Stores a callback without applying it and without its body: the state of its subject is read from the payments API when a client requests
 * it.
 */
export function keepCallback(rows: Rows, { subjectId, statusRaw, ...callback }: KeptCallback): DeliveryOutcome {
  const received = withIds({ ...callback, body: null })
  const subject = subjectId === null ? null : { id: subjectId, statusRaw: statusRaw ?? '' }
  wantDelivery(rows, received)
  const disposition = countRepeat(rows, received)
  if (disposition !== null) return { disposition, repeat: true, readDue: false }
  const outcome = { disposition: subject === null ? 'QUARANTINED' : 'NO_CHANGE', eventId: null } as const
  return storeDelivery(rows, newDelivery(received), subject, outcome)
}

/** A delivery with the ids that it may have, one for each of its hashes. */
type Identified<Received extends ReceivedDelivery> = Received & { readonly ids: readonly [string, ...string[]] }

function withIds<Received extends ReceivedDelivery>(received: Received): Identified<Received> {
  const [first, ...others] = received.bodyHashes
  return { ...received, ids: [deliveryKey(first), ...others.map(deliveryKey)] }
}

/**
 * A repeated body only counts an attempt, and may request a read; an authentic body that is unusable is QUARANTINED, and what its URL was made
 * for is read instead.
 */
function receive<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  { report, ...delivery }: ReceivedDelivery & { readonly report: K['Report'] | null },
  finish: (target: Target<K>, outcome: DeliveryOutcome, after: K['State'] | null) => DeliveryOutcome,
): DeliveryOutcome {
  const { rows } = ledger
  const received = withIds(delivery)
  const { ref, receivedAt } = received
  // Requested first, so that the rows of both are loaded together.
  wantDelivery(rows, received)
  const target = report === null ? null : subject.findTarget(rows, report, ref)
  const disposition = countRepeat(rows, received)
  if (disposition !== null) {
    const readDue = disposition !== 'QUARANTINED' && report !== null && receiveRepeat(subject, rows, report, receivedAt)
    return { disposition, repeat: true, readDue }
  }
  const row = newDelivery(received)
  if (report === null || target === null) {
    const named = report === null ? null : { id: subject.idOf(report), statusRaw: report.statusRaw }
    const outcome = storeDelivery(rows, row, named, { disposition: 'QUARANTINED', eventId: null })
    return { ...outcome, readDue: report === null && ref !== null && subject.readAddressed(rows, ref, receivedAt) }
  }
  const { outcome, after } = applyDelivery(subject, ledger, target, { row, at: receivedAt })
  return finish(target, outcome, after)
}

/** Returns true if the repeat requests a read. */
function receiveRepeat<K extends Kind>(subject: Subject<K>, rows: Rows, report: K['Report'], at: Date): boolean {
  const row = subject.find(rows, subject.idOf(report))
  if (row === null) return false
  const { provisional, confirm } = subject.decideWebhook(row.state, report, true)
  if (provisional === null && !confirm) return false
  const state = provisional === null ? row.state : { ...row.state, provisional }
  const checked = subject.rowOf(rows, state, row, null)
  subject.put(rows, confirm ? confirmBy({ ...checked, deliveries: row.deliveries + 1 }, at) : checked)
  if (confirm) subject.countElsewhere(rows, state)
  return confirm
}

/** Decides what a delivery means for the current state of its subject, and records the disposition. */
function applyDelivery<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  target: Target<K>,
  delivery: { readonly row: DeliveryRow; readonly at: Date },
): { outcome: DeliveryOutcome; after: K['State'] | null } {
  const { rows } = ledger
  const { state, report } = target
  const { at } = delivery
  const { disposition, change, provisional: doubt, confirm } = subject.decideWebhook(state, report, false)
  const provisional = doubt ?? state?.provisional ?? false

  let row: K['Row'] | null = null
  let eventId: string | null = null
  if (change !== null) {
    const fact = { change, source: 'WEBHOOK', report, provisional, at } as const
    const changed = recordChange(subject, ledger, target, fact)
    row = changed.row
    eventId = changed.eventId
  } else if (state !== null) row = subject.rowOf(rows, { ...state, provisional }, target.row, report)

  const named = { id: subject.idOf(report), statusRaw: report.statusRaw }
  const outcome = storeDelivery(rows, delivery.row, named, { disposition, eventId })
  if (row !== null) {
    const counted = { ...row, deliveries: row.deliveries + 1 }
    subject.put(rows, confirm ? confirmBy(counted, at) : counted)
    subject.affect(rows, row.state, { before: target.row?.state ?? null, isChanged: change !== null })
    subject.countElsewhere(rows, row.state)
  }
  return { outcome: { ...outcome, readDue: confirm }, after: row?.state ?? null }
}

function wantDelivery(rows: Rows, { ids }: Identified<ReceivedDelivery>): void {
  for (const id of ids) {
    rows.deliveries.want('id', id)
    rows.prunedDeliveries.want('id', id)
  }
}

/** Counts an attempt of an earlier delivery, unless it has been pruned. Returns its disposition; null if the delivery is new. */
function countRepeat(rows: Rows, received: Identified<ReceivedDelivery>): DeliveryRow['disposition'] | null {
  const before = firstOf(received.ids, (id) => rows.deliveries.first('id', id))
  if (before !== null) {
    const lastReceivedAt = received.receivedAt.toISOString()
    rows.deliveries.put({ ...before, attempts: before.attempts + 1, lastReceivedAt })
    return before.disposition
  }
  return firstOf(received.ids, (id) => rows.prunedDeliveries.first('id', id))?.disposition ?? null
}

function firstOf<Row>(keys: readonly string[], find: (key: string) => Row | null): Row | null {
  for (const key of keys) {
    const found = find(key)
    if (found !== null) return found
  }
  return null
}

function newDelivery({ ids, ref, body, receivedAt, signed, keyId }: Identified<ReceivedDelivery>): DeliveryRow {
  const at = receivedAt.toISOString()
  return {
    id: ids[0],
    ref,
    subjectId: null,
    statusRaw: null,
    disposition: 'QUARANTINED',
    attempts: 1,
    firstReceivedAt: at,
    lastReceivedAt: at,
    signed: signed ?? null,
    keyId: keyId ?? null,
    eventId: null,
    body,
  }
}

/** Records the subject of a delivery, as far as it can be read, and its disposition. */
function storeDelivery(
  rows: Rows,
  delivery: DeliveryRow,
  subject: { readonly id: string; readonly statusRaw: string } | null,
  { disposition, eventId }: Pick<DeliveryRow, 'disposition' | 'eventId'>,
): DeliveryOutcome {
  const [subjectId, statusRaw] = [subject?.id ?? null, subject?.statusRaw ?? null]
  rows.deliveries.put({ ...delivery, subjectId, statusRaw, disposition, eventId })
  return { disposition, repeat: false, readDue: false }
}

/** Returns the orphaned link that this delivery reports as paid; null if there is none. */
function orphanOf(rows: Rows, { row }: PaymentTarget, after: Payment | null, at: Date): OrphanLink | null {
  if (after === null || after.linkRef === null || linkOf(rows, after) !== null) return null
  if (!hasBecomePaid(row?.state ?? null, after)) return null
  const attempt = findAttempt(rows, after.linkRef)
  if (attempt?.kind !== 'link') return null
  const command = rows.commands.first('id', attempt.commandId)
  return isOrphan(after.linkRef, command, at.getTime()) ? { ref: after.linkRef, commandId: attempt.commandId } : null
}

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
 * Decides a stored delivery again, against the current state, by the same code as on receipt. A quarantined delivery becomes usable if `parse`
 * can read it now. If the delivery is doubtful or changes something, a read is planned. Counts no attempt. Without `apply` it throws `DryRun`
 * with the outcome, so that the transaction is rolled back.
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
