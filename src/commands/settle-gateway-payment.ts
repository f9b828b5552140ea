import { present, problem } from '../domain/field-problems.ts'
import type { GatewayPayment, GatewaySettlement } from '../domain/gateway/gateway-payment.ts'
import type { InvalidInput, StateFailure } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import type { GatewaySettled, Store } from '../store/store.ts'

export type SettleGatewayOptions = {
  readonly store: { readonly commands: Pick<Store['commands'], 'settleGatewayPayment' | 'settleGatewayCreation'> }
  readonly logger: Logger
  readonly clock: () => Date
}

/** What an operator says about a creation without an answer. */
export type CreationRequest = {
  readonly operationId: string
  readonly isCreated: boolean
  /** Given exactly if it is created. */
  readonly paymentId: string | null
}

export type SettleGatewayOutcome =
  | { readonly kind: 'done'; readonly payment: GatewayPayment | null }
  | InvalidInput
  | StateFailure

/** Ids of the payments API are whole numbers (gap sheet, section 4), so what is no id is not recorded as a payment. */
const PAYMENT_ID = /^(?:0|[1-9]\d{0,19})$/

/** Records what an operator found about a provisional payment. Calls nothing of the payments API, so it needs no idempotency key. */
export async function settleGatewayPayment(
  { store, logger, clock }: SettleGatewayOptions,
  gatewayPaymentId: string,
  settlement: GatewaySettlement,
): Promise<SettleGatewayOutcome> {
  const outcome = await store.commands.settleGatewayPayment(gatewayPaymentId, settlement, clock())
  return logged(logger, { gatewayPaymentId, status: settlement.status }, outcome)
}

/** Records what an operator found about a creation without an answer. */
export async function settleGatewayCreation(
  { store, logger, clock }: SettleGatewayOptions,
  { operationId, isCreated, paymentId }: CreationRequest,
  settledBy: string | null,
): Promise<SettleGatewayOutcome> {
  const problems = present([paymentIdProblem(isCreated, paymentId)])
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const outcome = await store.commands.settleGatewayCreation(operationId, { paymentId, settledBy }, clock())
  return logged(logger, { commandId: operationId, gatewayPaymentId: paymentId }, outcome)
}

function paymentIdProblem(isCreated: boolean, paymentId: string | null) {
  if (!isCreated) return problem(paymentId === null ? null : 'must be absent unless it was created', ['paymentId'])
  return problem(PAYMENT_ID.test(paymentId ?? '') ? null : 'must be the whole number that the payments API shows', [
    'paymentId',
  ])
}

function logged(logger: Logger, fields: Readonly<Record<string, unknown>>, outcome: GatewaySettled): GatewaySettled {
  if (outcome.kind === 'done') logger.info(fields, 'gateway payment settled by an operator')
  return outcome
}
