import type { Command } from '../domain/command.ts'
import { decideGatewayCreation } from '../domain/gateway/gateway-decisions.ts'
import { CREATE_GATEWAY_PAYMENT } from '../domain/gateway/gateway-payment.ts'
import { type PaymentLink, speaksForLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import { decidePayoutCreation, type Payout } from '../domain/payouts/payout.ts'
import { readAfterExpiry } from '../domain/reads/read-schedule.ts'
import type { GatewayCreationSettled } from '../store/command-store.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { fromIso } from '../store/rows/table.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { findUnsettledAttempt, markSettled, findUnsettled } from './command-records.ts'
import { scheduled, applyAnswer } from './record-read.ts'
import { recordCreation, settleWithCreated } from './settle.ts'
import { findAddressedGatewayPayment, GATEWAY_PAYMENT, recordedOutcome } from './subjects/gateway-payment-subject.ts'
import { joinLink, PAYMENT, wantPayments } from './subjects/payment-subject.ts'
import { answeredPayout, findAddressedPayout, findPayout, PAYOUT, wantPayout } from './subjects/payout-subject.ts'
import { appendEvent, OF_A_LINK, type Ledger, confirmBy, findAttempt } from './subjects/subject.ts'
import { updateLink } from './subjects/update-link.ts'

/**
 * Completes a command with the link it created: stores the link, its LINK_CREATED event and the command's result. A payment that arrived at
 * the link's webhook URL earlier is assigned to the link. Idempotent for the same command and link. Throws `StoreConflictError` if the
 * command has another outcome or a later attempt, or if the link already exists.
 */
export function settleWithLink(ledger: Ledger, commandId: string, link: PaymentLink, at: Date): void {
  const { rows } = ledger
  for (const lookup of ['id', 'namedLinkId'] as const) rows.payments.want(lookup, link.id)
  rows.payments.want('linkRef', link.ref)
  rows.links.want('id', link.id)
  rows.links.want('ref', link.ref)
  rows.payins.want('paymentId', link.id)
  rows.streams.want('id', link.streamId)
  const result = { linkId: link.id }
  const command = findUnsettledAttempt(rows, commandId, { ref: link.ref, result })
  if (command === null) return
  const { requestedBy } = command
  if (rows.links.first('id', link.id) !== null)
    throw new StoreConflictError(`The payments API gave the uuid ${link.id} to a second link.`)
  if (rows.links.first('ref', link.ref) !== null)
    throw new StoreConflictError('The correlation id of the link belongs to another link.')
  rows.links.put({
    link: { ...link, paymentId: null },
    paymentPhase: null,
    deliveries: 0,
    plan: { dueAt: readAfterExpiry(fromIso(link.expiresAt)), readClass: 'expiry', failures: 0 },
  })
  appendEvent(rows, {
    ...OF_A_LINK,
    kind: 'LINK_CREATED',
    source: 'COMMAND',
    requestedBy,
    streamId: link.streamId,
    linkRef: link.ref,
    recordedAt: at.toISOString(),
  })
  takeOverPayments({ ...ledger, requestedBy }, link, at)
  markSettled(rows, commandId, result)
}

function takeOverPayments(ledger: Ledger, link: PaymentLink, at: Date): void {
  const { rows } = ledger
  let speaker: Payment | null = null
  const payments = paymentsThrough(rows, link)
  wantPayments(
    rows,
    payments.map(({ state }) => state.id),
  )
  for (const row of payments) {
    const state = joinLink(row.state, link.ref, link)
    const joined = PAYMENT.rowOf(rows, state, row, null)
    const next = PAYMENT.nextPoll(rows, state, at.getTime())
    const planned = next === null ? joined : scheduled(joined, next)
    rows.payments.put(planned)
    PAYMENT.follow(ledger, { before: null, row: planned, source: 'COMMAND', at })
    if (speaksForLink(state, speaker)) speaker = state
  }
  if (speaker !== null) updateLink(rows, link.ref, speaker)
}

/** Returns payments that arrived at the link's webhook URL, or named the link, before it was recorded; oldest first. */
function paymentsThrough(rows: Rows, link: PaymentLink): PaymentRow[] {
  const named = [...rows.payments.find('namedLinkId', link.id), ...rows.payments.find('id', link.id)]
  const unlinked = named.filter(({ state }) => state.linkRef === null)
  const all = new Map([...rows.payments.find('linkRef', link.ref), ...unlinked].map((row) => [row.state.id, row]))
  return [...all.values()].toSorted((a, b) => a.createdAt - b.createdAt)
}

/**
 * Completes a command with the payout it created. Facts from earlier callbacks are kept. Idempotent for the same payout. Throws
 * `StoreConflictError` if the command has another outcome, or if the payout or its correlation id belongs to another object.
 */
export function settleWithPayout(
  ledger: Ledger,
  commandId: string,
  made: { readonly ref: string; readonly site: string; readonly report: PayoutReport; readonly at: Date },
): Payout {
  const { report } = made
  return settleWithCreated(PAYOUT, ledger, commandId, {
    ...made,
    find: () => findAddressedPayout(ledger.rows, report, made),
    decide: decidePayoutCreation,
    result: { payoutId: report.id },
  })
}

/**
 * Completes a command whose cancellation of a payout was accepted, and records that and the state that was read after it as an event. If
 * that state is unusable, or a callback was recorded since the command was sent, a read of the payout is due now. Idempotent for the same payout.
 * Returns null if the payout has no record. Throws `StoreConflictError` if the command has another outcome.
 */
export function settleWithPayoutCancellation(
  ledger: Ledger,
  commandId: string,
  { payoutId, report, at }: { readonly payoutId: string; readonly report: PayoutReport; readonly at: Date },
): Payout | null {
  const { rows } = ledger
  wantPayout(rows, payoutId)
  const command = findUnsettled(rows, commandId, { payoutId })
  const row = findPayout(rows, payoutId)
  if (command === null) return row?.state ?? null
  markSettled(rows, commandId, { payoutId })
  if (row === null) return null
  // Detected by counts, not by instants: clocks of nodes differ.
  const overtaken = row.deliveries !== command.subjectDeliveries
  const target = answeredPayout(row, { ...report, cancelledAt: at.toISOString() })
  const applied = applyAnswer(PAYOUT, { ...ledger, requestedBy: command.requestedBy }, target, {
    source: 'COMMAND',
    at,
    overtaken,
  })
  const after = applied?.row ?? row
  if (applied === null || overtaken) rows.payouts.put(confirmBy(after, at))
  return after.state
}

/**
 * Completes a command with the gateway payment that it started, and records the payment. The result of the command is that of the call, because
 * the page for the payer is no part of the record. What earlier callbacks reported is kept. Idempotent for the same result. Throws
 * `StoreConflictError` if the command has another outcome or a later attempt, or if the payment or its correlation id belongs to another object.
 */
export function settleWithGatewayPayment(
  ledger: Ledger,
  commandId: string,
  made: { readonly ref: string; readonly result: { readonly paymentId: string } },
  at: Date,
): void {
  const { rows } = ledger
  const { ref, result } = made
  rows.commands.want('id', commandId)
  rows.gatewayPayments.want('id', result.paymentId)
  rows.gatewayPayments.want('ref', ref)
  const report = { id: result.paymentId, reference: null, statusRaw: 'created', status: 'created' } as const
  const attempt = findAttempt(rows, ref)
  const command = findUnsettledAttempt(rows, commandId, made)
  if (command === null) return
  const target = attempt === null ? null : findAddressedGatewayPayment(rows, report, attempt)
  if (target === null) throw new StoreConflictError(`The gateway payment ${report.id} belongs to another command.`)
  const asked = { ...ledger, requestedBy: command.requestedBy }
  const { row } = recordCreation(GATEWAY_PAYMENT, asked, target, { decide: decideGatewayCreation, at })
  rows.gatewayPayments.put(row)
  markSettled(rows, commandId, result)
}

/**
 * Records what an operator has found out about a creation without an answer: the id of the payment that it made, or null if it made none; then
 * a repeat of its key makes another attempt. Idempotent for the same outcome. A conflict if it has another outcome, is still running, or
 * another payment is known.
 */
export function settleGatewayCreation(
  rows: Rows,
  operationId: string,
  paymentId: string | null,
  at: Date,
): GatewayCreationSettled {
  const command = rows.commands.first('id', operationId)
  if (command?.mutation !== CREATE_GATEWAY_PAYMENT) return { kind: 'not-found' }
  if (recordedOutcome(command) === paymentId) return { kind: 'done' }
  const named = paymentId === null ? null : rows.gatewayPayments.first('id', paymentId)
  const reported = rows.gatewayPayments.first('ref', command.ref) ?? named
  if (reported !== null) return { kind: 'state-conflict', statusRaw: reported.state.statusRaw }
  if (!isUnanswered(command, at)) return { kind: 'state-conflict', statusRaw: command.state.toLowerCase() }
  rows.commands.put(
    paymentId === null ? { ...command, state: 'ABANDONED' } : { ...command, state: 'SETTLED', result: { paymentId } },
  )
  return { kind: 'done' }
}

/** Returns whether no answer is awaited any more. */
function isUnanswered({ state, leaseUntil }: Command, at: Date): boolean {
  return state === 'UNKNOWN' || (state === 'SENT' && leaseUntil <= at.getTime())
}
