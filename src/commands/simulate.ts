import { checkDeposit, type DepositRequest } from '../domain/accounts/deposit-rules.ts'
import { amountProblem, type Money } from '../domain/money/money.ts'
import {
  type InvalidInput,
  type ReadFailure,
  type SandboxFailure,
  siteProblem,
  faultOf,
  readFailure,
} from '../lookups/operation-outcome.ts'
import type { Site } from '../upstream/client/sites.ts'
import type { OperationsOptions } from './parts.ts'

type Accepted = { readonly kind: 'done'; readonly response: Record<string, unknown> | null }

export type SimulatePayinRequest = {
  readonly paymentId: string
  readonly outcome: 'COMPLETED' | 'FAILED'
  readonly amount?: Money | null | undefined
}

export type SimulatePayinOutcome = Accepted | InvalidInput | SandboxFailure | ReadFailure
export type SimulateDepositOutcome =
  | Accepted
  | InvalidInput
  | SandboxFailure
  | Exclude<ReadFailure, { kind: 'not-found' }>

/** Completes a pending direct payin as the customer would (gap sheet, section 11). Rejected in production without a call. */
export async function simulatePayin(
  options: OperationsOptions,
  { paymentId, outcome, amount }: SimulatePayinRequest,
): Promise<SimulatePayinOutcome> {
  if (!options.sandbox) return { kind: 'sandbox-only' }
  const problem = amount == null ? null : amountProblem(amount)
  if (problem !== null) return { kind: 'invalid-input', problems: [{ path: ['amount', 'value'], message: problem }] }
  const [payin] = await options.store.payments.payins([paymentId])
  const site = payin === undefined ? null : options.sites.byId(payin.site)
  if (payin === undefined || site === null) return { kind: 'not-found' }
  if (amount != null && amount.currency !== payin.requestedAmount.currency)
    return {
      kind: 'invalid-input',
      problems: [{ path: ['amount', 'currency'], message: `must be ${payin.requestedAmount.currency}` }],
    }
  const status = outcome === 'COMPLETED' ? 'completed' : 'failed'
  return ask(site, () =>
    options.upstream.simulatePayin(site, { uuid: paymentId, status, amount: amount?.value ?? null }),
  )
}

/** Credits a treasury account (docs/payments-api.md, section 4.8). Rejected in production without a call. */
export async function simulateDeposit(
  options: OperationsOptions,
  request: DepositRequest,
): Promise<SimulateDepositOutcome> {
  if (!options.sandbox) return { kind: 'sandbox-only' }
  const checked = checkDeposit(request)
  if (!checked.ok) return { kind: 'invalid-input', problems: checked.problems }
  const site = options.sites.forCurrency(request.amount.currency, request.site ?? null)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(options.sites, request)] }
  const outcome = await ask(site, () =>
    options.upstream.simulateDeposit(site, { ...checked.request, amount: request.amount.value }),
  )
  // Nothing is looked up here: a 404 means that the payments API refuses the account.
  return outcome.kind === 'not-found'
    ? { kind: 'upstream-rejected', httpStatus: 404, upstreamCode: null, problems: [] }
    : outcome
}

async function ask(site: Site, call: () => Promise<unknown>): Promise<Accepted | ReadFailure> {
  try {
    const response = await call()
    const shown = response !== null && typeof response === 'object' && !Array.isArray(response)
    return { kind: 'done', response: shown ? (response as Record<string, unknown>) : null }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}
