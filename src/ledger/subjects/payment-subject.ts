import { createHash } from 'node:crypto'
import type { EventSource } from '../../domain/events/payment-event.ts'
import type { Money } from '../../domain/money/money.ts'
import { belongsTogether } from '../../domain/payments/attribution.ts'
import { directPaymentStreamId, linkStreamId, type PaymentLink } from '../../domain/payments/payment-link.ts'
import { PAID_RANK, type PaymentReport, refundId } from '../../domain/payments/payment-report.ts'
import {
  type NewPayment,
  decideRead,
  decideWebhook,
  evolve,
  type Payment,
  type PaymentChange,
  reportOf,
  withRequestedAmount,
  type DuplicatePayment,
  duplicateReason,
  type DuplicateResolution,
  holdsMoney,
  methodCodeOf,
  type OrderName,
  type PaidOrder,
  withPayment,
} from '../../domain/payments/payment.ts'
import { nextPoll, isPickedByCurrency, readSiteOf } from '../../domain/reads/read-schedule.ts'
import type { PaymentRow } from '../../store/rows/payment-rows.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { fromIso } from '../../store/rows/table.ts'
import {
  confirmUnread,
  isSameCommand,
  findPayment,
  linkOf,
  isNamed,
  mergePayers,
  type Ledger,
  type ReadableSubject,
  recordChange,
  type Target,
} from './subject.ts'
import { updateLink } from './update-link.ts'

type PaymentKind = {
  readonly State: Payment
  readonly Row: PaymentRow
  readonly Names: NewPayment
  readonly Report: PaymentReport
  readonly Change: PaymentChange
}

export type PaymentTarget = Target<PaymentKind>

/** Payments, with and without links. */
export const PAYMENT: ReadableSubject<PaymentKind> = {
  findTarget,
  idOf: ({ paymentId }) => paymentId,
  readAddressed(rows, ref, at) {
    rows.payins.want('ref', ref)
    const link = rows.links.first('ref', ref)
    const id = link?.link.paymentId ?? rows.payins.first('ref', ref)?.paymentId ?? null
    const payment = id === null ? null : findPayment(rows, id)
    if (payment !== null) rows.payments.put(confirmUnread(payment, at))
    else if (link !== null) rows.links.put(confirmUnread(link, at))
    return payment !== null || link !== null
  },
  ownsStream: ({ id, streamId }) => streamId === directPaymentStreamId(id),
  find: findPayment,
  put: (rows, row) => rows.payments.put(row),
  decideWebhook,
  decideRead,
  confirmed: (ledger, row, occasion) => appendUnchanged(ledger, row, 'PAYMENT_CONFIRMED', occasion),
  evolve,
  eventOf: (payment) => ({ linkRef: payment.linkRef, payment, agreement: null, payout: null, gatewayPayment: null }),
  rowOf,
  nextPoll(rows, payment, now) {
    const link = linkOf(rows, payment)
    return nextPoll(payment, now, link === null ? null : fromIso(link.expiresAt))
  },
  savePayer({ rows, settings }, report) {
    const { paymentId: id, payer, cardToken = null } = report
    const sealed = cardToken === null ? null : (settings.sealCardToken?.(cardToken.reveal()) ?? null)
    if (isNamed(payer) || sealed !== null) {
      const known = rows.paymentPayers.first('id', id)
      const merged = { payer: mergePayers(payer, known?.payer), cardToken: sealed ?? known?.cardToken ?? null }
      if (known?.erased !== true) rows.paymentPayers.put({ id, ...merged, erased: false })
    }
    saveRefundReason(rows, report)
  },
  withKnownPayer(rows, report) {
    const known = rows.paymentPayers.first('id', report.paymentId)?.payer
    return known === undefined ? report : { ...report, payer: mergePayers(known, report.payer) }
  },
  affect(rows, payment, { before, isChanged }) {
    const isJoined = before?.linkRef !== payment.linkRef
    if (payment.linkRef !== null && (isChanged || isJoined)) updateLink(rows, payment.linkRef, payment, before)
  },
  follow: (ledger, change) => followOrder(ledger, change),
  countElsewhere(rows, { linkRef }) {
    const link = linkRef === null ? null : rows.links.first('ref', linkRef)
    if (link !== null) rows.links.put({ ...link, deliveries: link.deliveries + 1 })
  },
}

/** Records the reported reason of the latest refund apart from the log, if it was made elsewhere and the payer is not erased. */
function saveRefundReason(rows: Rows, { paymentId, refundDescription: reason = null }: PaymentReport): void {
  const refund = findPayment(rows, paymentId)?.state.refunds?.at(-1)
  if (reason === null || refund === undefined || refund.commandId !== null) return
  const commandId = refundId(paymentId, refund)
  const isErased = rows.paymentPayers.first('id', paymentId)?.erased === true
  if (isErased || rows.refundRequests.first('commandId', commandId)?.reason === reason) return
  rows.refundRequests.put({ commandId, paymentId, idempotencyKey: null, reason })
}

/** Appends an event that changes nothing of a payment but its version. Returns the row after it. */
function appendUnchanged(
  ledger: Ledger,
  row: PaymentRow,
  kind: PaymentChange['kind'],
  { source, at }: Occasion,
): PaymentRow {
  const { state } = row
  const { statusRaw, status, details, provisional } = state
  const report = reportOf(state)
  const change = { kind, statusRaw, status, details }
  return recordChange(
    PAYMENT,
    ledger,
    { row, state, names: state, report },
    { change, source, report, provisional, at },
  ).row
}

/** Returns the ids of a new payment. Its events are in the stream of its link, if it has one. */
function newPayment(id: string, linkRef: string | null): NewPayment {
  return { id, linkRef, streamId: linkRef === null ? directPaymentStreamId(id) : linkStreamId(linkRef) }
}

/**
 * Returns a payment with its link: under the link's correlation id, and with the link's amount if the payments API has reported none. A
 * payment that has another link is returned unchanged.
 */
export function joinLink(payment: Payment, linkRef: string | null, link: PaymentLink | null): Payment {
  if (linkRef === null || (payment.linkRef !== null && payment.linkRef !== linkRef)) return payment
  return asRequested({ ...payment, linkRef }, link?.requestedAmount ?? null)
}

/** Returns a payment with the requested amount if the payments API has reported none. */
export function asRequested(payment: Payment, requested: Money | null): Payment {
  return { ...payment, details: withRequestedAmount(reportOf(payment), requested).details }
}

/** Returns the target of a report about a payment, which may be new, and its link. */
export function targetOf(
  row: PaymentRow | null,
  said: PaymentReport,
  { linkRef, link }: { readonly linkRef: string | null; readonly link: PaymentLink | null },
): PaymentTarget {
  if (row !== null)
    return { row, state: joinLink(row.state, linkRef, link), names: newPayment(row.state.id, linkRef), report: said }
  const report = withRequestedAmount(said, link?.requestedAmount ?? null)
  return { row, state: null, names: newPayment(said.paymentId, linkRef), report }
}

/** Requests all rows that a webhook may need, so that few loads suffice. */
function prefetch(rows: Rows, { paymentId, linkId, payer }: PaymentReport, ref: string | null): void {
  rows.payments.want('id', paymentId)
  rows.payins.want('paymentId', paymentId)
  rows.links.want('id', ref === null ? (linkId ?? paymentId) : null)
  rows.links.want('ref', ref)
  rows.attempts.want('ref', ref)
  rows.streams.want('id', ref === null ? null : linkStreamId(ref))
  if (isNamed(payer)) rows.paymentPayers.want('id', paymentId)
}

function findTarget(rows: Rows, report: PaymentReport, ref: string | null): PaymentTarget | null {
  prefetch(rows, report, ref)
  const row = findPayment(rows, report.paymentId)
  const known = row?.state ?? null
  rows.streams.want('id', known === null || PAYMENT.ownsStream(known) ? null : known.streamId)
  rows.links.want('ref', known?.linkRef ?? null)
  const kind = ref === null ? null : (rows.attempts.first('ref', ref)?.kind ?? null)
  if (kind === 'agreement') return null
  if (ref !== null && kind === 'payin') return isPayinsOwn(rows, ref, known, report) ? direct(row, report) : null
  if (row !== null && rows.payins.first('paymentId', report.paymentId) !== null)
    return ref === null ? direct(row, report) : null

  const linkRef = ref ?? known?.linkRef ?? null
  const found =
    linkRef === null ? rows.links.first('id', report.linkId ?? report.paymentId) : rows.links.first('ref', linkRef)
  const link = found?.link ?? null
  rows.payments.want('id', link?.paymentId ?? null)
  if (!belongsTogether(report, { ref, link }, known)) return null
  return targetOf(row, report, { linkRef: linkRef ?? link?.ref ?? null, link })
}

/** Returns the target of a payment without a link, whatever link its body names. */
function direct(row: PaymentRow | null, report: PaymentReport): PaymentTarget {
  return targetOf(row, { ...report, linkId: null }, { linkRef: null, link: null })
}

/** After a payin is settled, its webhook URL is only for its own payment, and its payment only for URLs of its own attempts. */
function isPayinsOwn(rows: Rows, ref: string, payment: Payment | null, { paymentId }: PaymentReport): boolean {
  if (payment !== null && payment.linkRef !== null) return false
  const expected = rows.payins.first('ref', ref)
  if (expected !== null) return expected.paymentId === paymentId
  const known = rows.payins.first('paymentId', paymentId)
  return known === null || isSameCommand(rows, ref, known.ref)
}

function rowOf(rows: Rows, state: Payment, before: PaymentRow | null, report: PaymentReport | null): PaymentRow {
  const link = linkOf(rows, state)
  const payin = rows.payins.first('paymentId', state.id)
  const updatedAt = fromIso(state.updatedAt)
  const made = link ?? payin
  const picked = readSiteOf(made?.site ?? null, state.details.currency)
  return {
    state,
    namedLinkId: report?.linkId ?? before?.namedLinkId ?? null,
    otherReference: made === null || made.reference === state.details.reference ? null : made.reference,
    methodCode: methodCodeOf(state, made),
    ownerId: made?.ownerId ?? null,
    // A recorded site is kept: only the site of a payment that was selected by currency is replaced.
    readSite: before === null || isPickedByCurrency(before.readSite) ? picked : before.readSite,
    createdAt: before?.createdAt ?? updatedAt,
    deliveries: before?.deliveries ?? 0,
    duplicate: before?.duplicate ?? false,
    paidAfterMs: before?.paidAfterMs ?? paidAfterMs(state, before?.state ?? null, link),
    plan: before?.plan ?? { dueAt: null, readClass: 'poll', failures: 0 },
  }
}

/** Returns the time from the creation of a link to the payment that is now paid; null at any other change. */
function paidAfterMs(state: Payment, before: Payment | null, link: PaymentLink | null): number | null {
  const isPaidNow = state.rank >= PAID_RANK && (before === null || before.rank < PAID_RANK)
  return isPaidNow && link !== null ? Math.max(0, fromIso(state.updatedAt) - fromIso(link.createdAt)) : null
}

type Occasion = { readonly source: EventSource; readonly at: Date }

/**
 * Compares a payment that has begun, or ceased, to hold money with the other payments of its order. Records a duplicate, or that it is
 * resolved, as an event of the duplicate. Returns the row of the payment after it.
 */
function followOrder(
  ledger: Ledger,
  { before, row, ...occasion }: Occasion & { readonly before: Payment | null; readonly row: PaymentRow },
): PaymentRow {
  const held = before !== null && holdsMoney(before)
  const holds = holdsMoney(row.state)
  if (held === holds || !ledger.settings.findsDuplicates) return row
  return (holds ? join : leave)(ledger, row, occasion)
}

/** Records that several payments of an order are expected: none is a duplicate from now on. */
export function expectSeveral(rows: Rows, name: OrderName, at: Date): void {
  rows.paidOrders.put({ ...orderOf(rows, name), severalExpected: true, updatedAt: at.toISOString() })
}

/** Resolves an open duplicate. Returns the row of its payment after the event. */
export function resolveDuplicate(
  ledger: Ledger,
  row: PaymentRow,
  { resolution, ...occasion }: Occasion & { readonly resolution: DuplicateResolution },
): PaymentRow {
  const duplicate = openDuplicate(ledger.rows, row.state.id)
  if (duplicate === null) return row
  ledger.rows.duplicates.put({ ...duplicate, resolvedAt: occasion.at.toISOString(), resolution })
  return appendUnchanged(ledger, { ...row, duplicate: false }, 'DUPLICATE_PAYMENT_RESOLVED', occasion)
}

/** Returns the duplicate of a payment while it is not resolved. */
function openDuplicate(rows: Rows, paymentId: string): DuplicatePayment | null {
  const duplicate = rows.duplicates.first('paymentId', paymentId)
  return duplicate?.resolvedAt === null ? duplicate : null
}

function join(ledger: Ledger, row: PaymentRow, occasion: Occasion): PaymentRow {
  const { rows } = ledger
  const { state } = row
  const at = occasion.at.toISOString()
  const order = orderOfPayment(rows, row)
  const others = order?.paymentIds.filter((id) => id !== state.id && isHeld(rows, id)) ?? []
  if (order !== null) rows.paidOrders.put(withPayment(order, others, state.id, at))
  const otherId = others[0] ?? null
  const reason = duplicateReason(order, {
    otherId,
    linkHadExpired: linkOf(rows, state)?.expired === true || state.seen.includes('expired'),
  })
  if (reason === null || row.duplicate) return row
  // A payment holds money again when a lost dispute is reversed. Whoever has dismissed the duplicate keeps both still.
  if (rows.duplicates.first('paymentId', state.id)?.resolution === 'DISMISSED') return row
  rows.duplicates.put({ paymentId: state.id, otherId, reason, foundAt: at, resolvedAt: null, resolution: null })
  return appendUnchanged(ledger, { ...row, duplicate: true }, 'DUPLICATE_PAYMENT_FOUND', occasion)
}

function leave(ledger: Ledger, row: PaymentRow, occasion: Occasion): PaymentRow {
  const { rows } = ledger
  const { id } = row.state
  const order = orderOfPayment(rows, row)
  if (order?.paymentIds.includes(id) === true) {
    const others = order.paymentIds.filter((other) => other !== id)
    rows.paidOrders.put({ ...order, paymentIds: others, updatedAt: occasion.at.toISOString() })
    for (const [index, other] of others.entries()) {
      const duplicate = openDuplicate(rows, other)
      const otherRow = findPayment(rows, other)
      if (duplicate?.otherId !== id || otherRow === null) continue
      const earlier = others.slice(0, index).find((candidate) => isHeld(rows, candidate))
      // Without an earlier one, it is now the payment of the order.
      if (earlier !== undefined) rows.duplicates.put({ ...duplicate, otherId: earlier })
      else resolveDuplicate(ledger, otherRow, { ...occasion, resolution: 'OTHER_REFUNDED' })
    }
  }
  return resolveDuplicate(ledger, row, { ...occasion, resolution: 'REFUNDED' })
}

function isHeld(rows: Rows, id: string): boolean {
  const row = findPayment(rows, id)
  return row !== null && holdsMoney(row.state)
}

/** Returns the order of a payment; null if it was made elsewhere: what its reference means is not known here. Loads all its payments. */
function orderOfPayment(rows: Rows, { state }: PaymentRow): PaidOrder | null {
  const made = linkOf(rows, state) ?? rows.payins.first('paymentId', state.id)
  if (made === null) return null
  const order = orderOf(rows, made)
  wantPayments(rows, order.paymentIds)
  return order
}

/** Requests payments with what an event of each may need, so that two loads suffice for all of them. */
export function wantPayments(rows: Rows, ids: readonly string[]): void {
  for (const id of ids) {
    rows.payments.want('id', id)
    rows.payins.want('paymentId', id)
    rows.duplicates.want('paymentId', id)
    rows.paymentPayers.want('id', id)
  }
  for (const id of ids) {
    const state = findPayment(rows, id)?.state ?? null
    rows.links.want('ref', state?.linkRef ?? null)
    rows.streams.want('id', state === null || PAYMENT.ownsStream(state) ? null : state.streamId)
  }
}

function orderOf(rows: Rows, { site, ownerId, reference }: OrderName): PaidOrder {
  const id = createHash('sha256')
    .update(JSON.stringify([site, ownerId, reference]))
    .digest('base64url')
  return rows.paidOrders.first('id', id) ?? { id, paymentIds: [], severalExpected: false, updatedAt: '' }
}
