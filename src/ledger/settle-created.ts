import type { Command } from '../domain/command.ts'
import {
  decideGatewayCreation,
  CREATE_GATEWAY_PAYMENT,
  type CreationSettlement,
  creationStreamId,
  type SettledGatewayCreation,
  decideGatewayConfirmation,
  decideGatewayDiscovery,
  decideGatewaySettlement,
} from '../domain/gateway/gateway-decisions.ts'
import type {
  GatewayPaymentReport,
  GatewayPaymentDecision,
  GatewayPaymentFacts,
  GatewaySettlement,
} from '../domain/gateway/gateway-payment.ts'
import { type PaymentLink, speaksForLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import { decidePayoutCreation, type Payout } from '../domain/payouts/payout.ts'
import { readAfterExpiry } from '../domain/reads/read-schedule.ts'
import type { GatewaySettled } from '../store/command-store.ts'
import type { AttemptRow } from '../store/rows/command-rows.ts'
import type { GatewayPaymentRow } from '../store/rows/gateway-payment-rows.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { fromIso } from '../store/rows/table.ts'
import { StoreConflictError } from '../store/store-errors.ts'
import { findUnsettledAttempt, markSettled, findUnsettled } from './command-records.ts'
import { scheduled, applyAnswer } from './record-read.ts'
import { recordCreation, settleWithCreated } from './settle.ts'
import {
  findAddressedGatewayPayment,
  GATEWAY_PAYMENT,
  type GatewayPaymentKind,
} from './subjects/gateway-payment-subject.ts'
import { joinLink, PAYMENT, wantPayments } from './subjects/payment-subject.ts'
import { answeredPayout, findAddressedPayout, findPayout, PAYOUT, wantPayout } from './subjects/payout-subject.ts'
import {
  dropRequested,
  appendEvent,
  OF_A_LINK,
  type Ledger,
  confirmBy,
  findAttempt,
  recordChange,
  type Target,
} from './subjects/subject.ts'
import { updateLink } from './subjects/update-link.ts'

/**
 * Completes a command with the link it created: stores the link, its LINK_CREATED event and the command's result. A payment that arrived at
 * the link's webhook URL earlier is assigned to the link. Idempotent for the same command and link. Throws `StoreConflictError` if the
 * command has another outcome or a later attempt, or if the link already exists.
 */
export function settleWithLink(
  ledger: Ledger,
  commandId: string,
  { link, at }: { readonly link: PaymentLink; readonly at: Date },
): void {
  const { rows } = ledger
  for (const lookup of ['id', 'namedLinkId'] as const) rows.payments.want(lookup, link.id)
  rows.payments.want('linkRef', link.ref)
  rows.links.want('id', link.id)
  rows.links.want('ref', link.ref)
  rows.payins.want('paymentId', link.id)
  rows.streams.want('id', link.streamId)
  const result = { linkId: link.id }
  if (findUnsettledAttempt(rows, commandId, { ref: link.ref, result }) === null) return
  if (rows.links.first('id', link.id) !== null)
    throw new StoreConflictError(`The payments API gave the uuid ${link.id} to a second link.`)
  if (rows.links.first('ref', link.ref) !== null)
    throw new StoreConflictError('The correlation id of the link belongs to another link.')
  rows.links.put({
    link: { ...link, paymentId: null },
    paymentPhase: null,
    confirmedAt: fromIso(link.createdAt),
    deliveries: 0,
    plan: { dueAt: readAfterExpiry(fromIso(link.expiresAt)), readClass: 'expiry', failures: 0 },
  })
  appendEvent(rows, {
    ...OF_A_LINK,
    kind: 'LINK_CREATED',
    source: 'COMMAND',
    streamId: link.streamId,
    linkRef: link.ref,
    recordedAt: at.toISOString(),
  })
  takeOverPayments(ledger, link, at)
  markSettled(rows, commandId, result)
}

function takeOverPayments(ledger: Ledger, link: PaymentLink, at: Date): void {
  const { rows, settings } = ledger
  const now = at.getTime()
  let speaker: Payment | null = null
  const payments = paymentsThrough(rows, link)
  wantPayments(
    rows,
    payments.map(({ state }) => state.id),
  )
  for (const row of payments) {
    const state = joinLink(row.state, link.ref, link)
    const joined = PAYMENT.rowOf(rows, state, row, null)
    const next = PAYMENT.nextPoll(rows, state, { now, windowMs: settings.refundWindowMs, lateMs: 0 })
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
  const applied = applyAnswer(PAYOUT, ledger, target, { source: 'COMMAND', at, overtaken })
  const after = applied?.row ?? row
  if (applied === null || overtaken) rows.payouts.put(confirmBy(after, at))
  return after.state
}

/**
 * Completes a command with the gateway payment that it started, and records the payment. The result of the command is that of the call, because
 * the page for the payer is no part of the record. Facts from earlier callbacks are kept. Idempotent for the same result. Throws
 * `StoreConflictError` if the command has another outcome or a later attempt, or if the payment or its correlation id belongs to another object.
 */
export function settleWithGatewayPayment(
  ledger: Ledger,
  commandId: string,
  made: {
    readonly ref: string
    readonly site: string
    readonly report: GatewayPaymentReport
    readonly result: unknown
    readonly at: Date
  },
): void {
  const { rows } = ledger
  rows.commands.want('id', commandId)
  const target = findAddressedGatewayPayment(rows, made.report, made)
  if (findUnsettledAttempt(rows, commandId, made) === null) return
  if (target === null) throw new StoreConflictError(`The gateway payment ${made.report.id} belongs to another command.`)
  const { row } = recordCreation(GATEWAY_PAYMENT, ledger, target, { decide: decideGatewayCreation, at: made.at })
  rows.gatewayPayments.put(row)
  markSettled(rows, commandId, made.result)
  dropRequested(rows, made.ref)
}

/** Records an operator's word about a provisional gateway payment. See `CommandStore.settleGatewayPayment`. */
export function settleGatewayPayment(
  ledger: Ledger,
  id: string,
  { settlement, at }: { readonly settlement: GatewaySettlement; readonly at: Date },
): GatewaySettled {
  const row = ledger.rows.gatewayPayments.first('id', id)
  if (row === null) return { kind: 'not-found' }
  const decision = decideGatewaySettlement(row.state, settlement)
  if (decision === null) return conflict(row.state.statusRaw)
  return recordWord(ledger, targetOf(row), { decision, at })
}

/** Records an operator's word about a creation without an answer. See `CommandStore.settleGatewayCreation`. */
export function settleGatewayCreation(
  ledger: Ledger,
  operationId: string,
  { settlement, at }: { readonly settlement: CreationSettlement; readonly at: Date },
): GatewaySettled {
  const { rows } = ledger
  rows.commands.want('id', operationId)
  const command = rows.commands.first('id', operationId)
  const attempt = command === null ? null : findAttempt(rows, command.ref)
  if (command?.mutation !== CREATE_GATEWAY_PAYMENT || attempt === null) return { kind: 'not-found' }
  const { paymentId, settledBy } = settlement
  if (paymentId === null) return settleAsNotCreated(ledger, { command, attempt }, { settledBy, at })
  return settleAsCreated(ledger, { command, attempt }, { paymentId, settledBy, at })
}

type Creation = { readonly command: Command; readonly attempt: AttemptRow }

function settleAsNotCreated(
  { rows }: Ledger,
  { command, attempt }: Creation,
  { settledBy, at }: { readonly settledBy: string | null; readonly at: Date },
): GatewaySettled {
  const reported = rows.gatewayPayments.first('ref', command.ref)
  if (reported !== null) return conflict(reported.state.statusRaw)
  if (command.state === 'ABANDONED') return { kind: 'done', payment: null }
  if (!isUnanswered(command, at)) return conflict(command.state.toLowerCase())
  rows.commands.put({ ...command, state: 'ABANDONED' })
  const { site, requested } = attempt
  const gatewayCreation: SettledGatewayCreation = {
    ...(requested ?? NOT_RECORDED),
    operationId: command.id,
    site: site ?? '',
    settledBy,
  }
  appendEvent(rows, {
    ...OF_A_LINK,
    linkRef: null,
    streamId: creationStreamId(command.id),
    kind: 'GATEWAY_PAYMENT_NOT_CREATED',
    source: 'OPERATOR',
    toStatus: 'not_created',
    gatewayCreation,
    recordedAt: at.toISOString(),
  })
  return { kind: 'done', payment: null }
}

function settleAsCreated(
  ledger: Ledger,
  { command, attempt: { site, requested } }: Creation,
  { paymentId, settledBy, at }: { readonly paymentId: string; readonly settledBy: string | null; readonly at: Date },
): GatewaySettled {
  const { rows } = ledger
  const reported = rows.gatewayPayments.first('ref', command.ref)
  if (reported !== null) {
    if (reported.state.id !== paymentId) return conflict(reported.state.statusRaw)
    return recordWord(ledger, targetOf(reported), {
      decision: decideGatewayConfirmation(reported.state, settledBy),
      at,
    })
  }
  if (!isUnanswered(command, at) && command.state !== 'ABANDONED') return conflict(command.state.toLowerCase())
  const report = { ...(requested ?? NOT_RECORDED), id: paymentId, statusRaw: 'created', status: 'created' } as const
  const target = findAddressedGatewayPayment(rows, report, { ref: command.ref, site: site ?? '' })
  if (target === null) return conflict(rows.gatewayPayments.first('id', paymentId)?.state.statusRaw ?? 'created')
  return recordWord(ledger, target, { decision: decideGatewayDiscovery(report, settledBy), at })
}

/** Of a creation that an earlier version recorded, nothing that was requested is known. */
const NOT_RECORDED: GatewayPaymentFacts = { orderId: null, amount: null, currency: null, description: null }

/** Returns whether no answer is awaited any more. */
function isUnanswered({ state, leaseUntil }: Command, at: Date): boolean {
  return state === 'UNKNOWN' || (state === 'SENT' && leaseUntil <= at.getTime())
}

/** Records the change that an operator's word means, if any, and ends the command whose payment it is. */
function recordWord(
  ledger: Ledger,
  target: Target<GatewayPaymentKind>,
  { decision, at }: { readonly decision: GatewayPaymentDecision; readonly at: Date },
): GatewaySettled {
  const { change, provisional } = decision
  if (change === null) return { kind: 'done', payment: target.state }
  const fact = { change, source: 'OPERATOR', report: target.report, provisional: provisional === true, at } as const
  const { state } = recordChange(GATEWAY_PAYMENT, ledger, target, fact).row
  endCommand(ledger.rows, state)
  return { kind: 'done', payment: state }
}

/** The page for the payer is not known, so it is no part of the result. */
function endCommand(
  rows: Rows,
  { id: paymentId, orderId, ref }: { readonly id: string; readonly orderId: string | null; readonly ref: string },
): void {
  const attempt = findAttempt(rows, ref)
  const command = attempt === null ? null : rows.commands.first('id', attempt.commandId)
  if (command === null || command.ref !== ref || command.state === 'SETTLED' || command.state === 'REJECTED') return
  markSettled(rows, command.id, { paymentId, orderId })
  dropRequested(rows, ref)
}

function targetOf(row: GatewayPaymentRow): Target<GatewayPaymentKind> {
  const { id, orderId, amount, currency, description, statusRaw, status } = row.state
  const report: GatewayPaymentReport = { id, orderId, amount, currency, description, statusRaw, status }
  return { row, state: row.state, names: row.state, report }
}

function conflict(statusRaw: string): GatewaySettled {
  return { kind: 'state-conflict', statusRaw }
}
