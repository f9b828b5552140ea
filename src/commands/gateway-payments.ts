import { present, problem } from '../domain/field-problems.ts'
import { CREATE_GATEWAY_PAYMENT } from '../domain/gateway/gateway-decisions.ts'
import {
  gatewayPaymentAsRequested,
  gatewayRequestProblems,
  normaliseGatewayRequest,
  requestedFacts,
  type GatewayRequest,
  type GatewayPayment,
  type GatewaySettlement,
} from '../domain/gateway/gateway-payment.ts'
import { type CommandFailure, type InvalidInput, siteProblem, type StateFailure } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import type { Store, GatewaySettled } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { StartedGatewayPayment } from '../upstream/wire/wire-gateway-payment.ts'
import type { IdempotentCommands } from './idempotency/idempotent-command.ts'
import { callbackAddress, type CallbackOptions } from './idempotency/task.ts'

export type GatewayOptions = CallbackOptions & {
  readonly store: Pick<Store, 'commands'>
  readonly upstream: Pick<UpstreamClient, 'createGatewayPayment'>
  readonly sites: Sites
  readonly once: IdempotentCommands
  readonly clock: () => Date
}

export type GatewayOutcome =
  | { readonly kind: 'done'; readonly payment: StartedGatewayPayment; readonly replayed: boolean }
  | InvalidInput
  | CommandFailure

/**
 * Starts a payment on the hosted gateway (docs/payments-api.md, section 4.2; gap sheet, section 4). The payments API offers no
 * way to look such a payment up, and a callback does not repeat the page for the payer, so the outcome of an attempt without an answer stays
 * unknown until an operator settles it. What was requested is recorded before the call; what callbacks report is recorded with it.
 */
export async function createGatewayPayment(options: GatewayOptions, asked: GatewayRequest): Promise<GatewayOutcome> {
  const request = normaliseGatewayRequest(asked)
  const problems = gatewayRequestProblems(request)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const site = options.sites.forCurrency(request.amount.currency)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(options.sites, request)] }
  const outcome = await options.once.run<StartedGatewayPayment, StartedGatewayPayment>({
    mutation: CREATE_GATEWAY_PAYMENT,
    requested: requestedFacts(request),
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    refKind: 'gateway-payment',
    repeatAfterMs: null,
    send: (ref) =>
      options.upstream.createGatewayPayment(site, {
        ...request,
        webhook: callbackAddress(options, 'gateway-payment', ref),
      }),
    settle: async (command, payment) => {
      const made = { ref: command.ref, site: site.id, result: payment }
      await options.store.commands.settleWithGatewayPayment(
        command.id,
        made,
        gatewayPaymentAsRequested(payment, request),
        options.clock(),
      )
      return payment
    },
    // The page for the payer is not known of one that only an operator has found.
    replay: async ({ result }) => ('redirectUrl' in (result as object) ? (result as StartedGatewayPayment) : null),
    findOutcome: async () => null,
  })
  return outcome.kind === 'done' ? { kind: 'done', payment: outcome.result, replayed: outcome.replayed } : outcome
}

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
