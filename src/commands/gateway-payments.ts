import { present, problem } from '../domain/field-problems.ts'
import {
  CREATE_GATEWAY_PAYMENT,
  gatewayRequestProblems,
  normaliseGatewayRequest,
  requestedFacts,
  type GatewayRequest,
} from '../domain/gateway/gateway-payment.ts'
import { type InvalidInput, siteProblem, type StateFailure } from '../lookups/operation-outcome.ts'
import type { StartedGatewayPayment } from '../upstream/wire/wire-gateway-payment.ts'
import { callbackAddress, type CommandOutcome } from './idempotency/task.ts'
import type { CommandParts, OperationsOptions } from './parts.ts'

/**
 * Starts a payment on the hosted gateway (docs/payments-api.md, section 4.2; gap sheet, section 4). The payments API offers no
 * way to look such a payment up, and a callback does not repeat the page for the payer, so the outcome of an attempt without an answer stays
 * unknown until a callback reports it or an operator settles it. What was requested is recorded before the call.
 */
export async function createGatewayPayment(
  options: CommandParts,
  asked: GatewayRequest,
): Promise<CommandOutcome<StartedGatewayPayment> | InvalidInput> {
  const request = normaliseGatewayRequest(asked)
  const problems = gatewayRequestProblems(request)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const site = options.sites.forCurrency(request.amount.currency)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(options.sites, request)] }
  return options.once.run<StartedGatewayPayment, StartedGatewayPayment>({
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
      const made = { ref: command.ref, result: payment }
      await options.store.commands.settleWithGatewayPayment(command.id, made, options.clock())
      return payment
    },
    // The page for the payer is not known of one that only a callback or an operator has shown.
    replay: async ({ result }) => ('redirectUrl' in (result as object) ? (result as StartedGatewayPayment) : null),
    findOutcome: async () => null,
  })
}

/** What an operator has found in the payments API's dashboard about a creation without an answer. */
export type GatewayCreationFound = {
  readonly operationId: string
  readonly isCreated: boolean
  /** Given exactly if it is created. */
  readonly paymentId: string | null
}

/** Ids of the payments API are whole numbers (gap sheet, section 4). */
const PAYMENT_ID = /^(?:0|[1-9]\d{0,19})$/

/**
 * Records what an operator found about a creation without an answer, once. Calls nothing of the payments API, so it needs no idempotency key
 * besides the id of the operation.
 */
export async function settleGatewayCreation(
  { store, logger, clock }: OperationsOptions,
  { operationId, isCreated, paymentId }: GatewayCreationFound,
): Promise<{ readonly kind: 'done' } | InvalidInput | StateFailure> {
  const problems = present([problem(paymentIdFault(isCreated, paymentId), ['paymentId'])])
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const outcome = await store.commands.settleGatewayCreation(operationId, paymentId, clock())
  if (outcome.kind === 'done')
    logger.info({ commandId: operationId, gatewayPaymentId: paymentId }, 'gateway payment settled by an operator')
  return outcome
}

function paymentIdFault(isCreated: boolean, paymentId: string | null): string | null {
  if (!isCreated) return paymentId === null ? null : 'must be absent unless it was created'
  return PAYMENT_ID.test(paymentId ?? '') ? null : 'must be the whole number that the payments API shows'
}
