import type { Command } from '../domain/command.ts'
import {
  CREATE_GATEWAY_PAYMENT,
  type CreationSettlement,
  creationStreamId,
  type SettledGatewayCreation,
  decideGatewayConfirmation,
  decideGatewayDiscovery,
  decideGatewaySettlement,
} from '../domain/gateway/gateway-decisions.ts'
import type {
  GatewayPaymentDecision,
  GatewayPaymentFacts,
  GatewayPaymentReport,
  GatewaySettlement,
} from '../domain/gateway/gateway-payment.ts'
import type { GatewaySettled } from '../store/command-store.ts'
import type { AttemptRow } from '../store/rows/command-rows.ts'
import type { GatewayPaymentRow } from '../store/rows/gateway-payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { markSettled } from './command-records.ts'
import { dropRequested, findAttempt } from './find-payment.ts'
import {
  findAddressedGatewayPayment,
  GATEWAY_PAYMENT,
  type GatewayPaymentKind,
} from './subjects/gateway-payment-subject.ts'
import { appendEvent, OF_A_LINK, type Ledger, recordChange, type Target } from './subjects/subject.ts'

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
