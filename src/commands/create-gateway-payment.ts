import { CREATE_GATEWAY_PAYMENT } from '../domain/gateway/gateway-decisions.ts'
import {
  gatewayPaymentAsRequested,
  gatewayRequestProblems,
  normaliseGatewayRequest,
  requestedFacts,
  type GatewayRequest,
} from '../domain/gateway/gateway-payment.ts'
import { type CommandFailure, type InvalidInput, siteProblem } from '../lookups/operation-outcome.ts'
import type { Store } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { StartedGatewayPayment } from '../upstream/wire/wire-gateway-payment.ts'
import { callbackAddress, type CallbackOptions } from './idempotency/find-by-address.ts'
import type { IdempotentCommands } from './idempotency/idempotent-command.ts'

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
