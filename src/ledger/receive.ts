import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { GatewayPaymentReport } from '../domain/gateway/gateway-payment.ts'
import { hasBecomePaid, isOrphan } from '../domain/payments/orphan-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import { deliveryKey } from '../store/encoding/delivery-columns.ts'
import type { DeliveryRow } from '../store/rows/log-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import type {
  ReceivedDelivery,
  DeliveryOutcome,
  IncomingCallback,
  IncomingDelivery,
  OrphanLink,
} from '../store/store.ts'
import { AGREEMENT } from './agreement-subject.ts'
import { findAttempt } from './attempts.ts'
import { linkOf } from './find-payment.ts'
import { GATEWAY_PAYMENT } from './gateway-payment-subject.ts'
import { PAYMENT, type PaymentTarget } from './payment-subject.ts'
import { PAYOUT } from './payout-subject.ts'
import { confirmBy, type Kind, type Ledger, recordChange, type Subject, type Target } from './subject.ts'

/** Stores a payment webhook and applies it. */
export function receivePayment(ledger: Ledger, delivery: IncomingDelivery): DeliveryOutcome {
  return receive(PAYMENT, ledger, delivery, (target, outcome, after) => {
    const orphan = orphanOf(ledger.rows, target, after, delivery.receivedAt)
    return orphan === null ? outcome : { ...outcome, orphan }
  })
}

/** Stores an agreement callback and applies it. */
export function receiveAgreement(ledger: Ledger, callback: IncomingCallback<AgreementReport>): DeliveryOutcome {
  return receive(AGREEMENT, ledger, callback, (_target, outcome) => outcome)
}

/** Stores a payout callback and applies it. */
export function receivePayout(ledger: Ledger, callback: IncomingCallback<PayoutReport>): DeliveryOutcome {
  return receive(PAYOUT, ledger, callback, (_target, outcome) => outcome)
}

/** Stores a gateway payment's callback and applies it. */
export function receiveGatewayPayment(
  ledger: Ledger,
  callback: IncomingCallback<GatewayPaymentReport>,
): DeliveryOutcome {
  return receive(GATEWAY_PAYMENT, ledger, callback, (_target, outcome) => outcome)
}

type Incoming<Report> = ReceivedDelivery & { readonly report: Report | null }

/** A repeated body only counts an attempt, and may request a read; an authentic body that is unusable is QUARANTINED. */
function receive<K extends Kind>(
  subject: Subject<K>,
  ledger: Ledger,
  { report, ...received }: Incoming<K['Report']>,
  finish: (target: Target<K>, outcome: DeliveryOutcome, after: K['State'] | null) => DeliveryOutcome,
): DeliveryOutcome {
  const { rows } = ledger
  // Requested first, so that the rows of both are loaded together.
  wantDelivery(rows, received.bodyHashes)
  const target = report === null ? null : subject.findTarget(rows, report, received.ref)
  const disposition = countRepeat(rows, received)
  if (disposition !== null) {
    const readDue =
      disposition !== 'QUARANTINED' && report !== null && receiveRepeat(subject, rows, report, received.receivedAt)
    return { disposition, repeat: true, readDue }
  }
  const row = newDelivery(received)
  if (report === null || target === null) {
    const named = report === null ? null : { id: subject.idOf(report), statusRaw: report.statusRaw }
    return storeDelivery(rows, row, named, { disposition: 'QUARANTINED', eventId: null })
  }
  const { outcome, after } = applyDelivery(subject, ledger, target, { row, at: received.receivedAt })
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
export function applyDelivery<K extends Kind>(
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

function wantDelivery(rows: Rows, hashes: readonly string[]): void {
  for (const hash of hashes) {
    rows.deliveries.want('id', deliveryKey(hash))
    rows.deliveries.want('bodyHash', hash)
    rows.prunedDeliveries.want('id', deliveryKey(hash))
  }
}

/** Counts an attempt of an earlier delivery, unless it has been pruned. Returns its disposition; null if the delivery is new. */
function countRepeat(
  rows: Rows,
  { bodyHashes, receivedAt }: Pick<ReceivedDelivery, 'bodyHashes' | 'receivedAt'>,
): DeliveryRow['disposition'] | null {
  const before = findDelivery(rows, bodyHashes)
  if (before !== null) {
    rows.deliveries.put({ ...before, attempts: before.attempts + 1, lastReceivedAt: receivedAt.toISOString() })
    return before.disposition
  }
  const pruned = bodyHashes.map((hash) => rows.prunedDeliveries.first('id', deliveryKey(hash)))
  return pruned.find((row) => row !== null)?.disposition ?? null
}

/** Returns the delivery with one of these body hashes. */
function findDelivery(rows: Rows, hashes: readonly string[]): DeliveryRow | null {
  for (const hash of hashes) {
    const found = rows.deliveries.first('id', deliveryKey(hash)) ?? rows.deliveries.first('bodyHash', hash)
    if (found !== null) return found
  }
  return null
}

function newDelivery({ bodyHashes, ref, body, receivedAt }: ReceivedDelivery): DeliveryRow {
  const at = receivedAt.toISOString()
  return {
    id: deliveryKey(bodyHashes[0]),
    bodyHash: null,
    ref,
    subjectId: null,
    statusRaw: null,
    disposition: 'QUARANTINED',
    attempts: 1,
    firstReceivedAt: at,
    lastReceivedAt: at,
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
