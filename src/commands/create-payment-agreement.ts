import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import {
  agreementRequestProblems,
  normaliseAgreementRequest,
  type AgreementRequest,
} from '../domain/agreements/agreement-rules.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { CommandFailure, InvalidInput } from '../lookups/operation-outcome.ts'
import { siteProblem } from '../lookups/site-problem.ts'
import type { Store } from '../store/store.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import { findAgreement } from '../upstream/endpoints/find-agreement.ts'
import { callbackAddress, type CallbackOptions } from './idempotency/callback-address.ts'
import type { IdempotentCommands } from './idempotency/idempotent-command.ts'
import type { Done, Task } from './idempotency/task.ts'

export type CreateAgreementOptions = CallbackOptions & {
  readonly store: Pick<Store, 'agreements' | 'commands'>
  readonly upstream: Pick<UpstreamClient, 'createPaymentAgreement' | 'searchAgreements'>
  readonly sites: Sites
  readonly once: IdempotentCommands
  readonly clock: () => Date
}

export type AgreementOutcome =
  | { readonly kind: 'done'; readonly agreement: Agreement; readonly replayed: boolean }
  | InvalidInput
  | CommandFailure

/** The payments API keeps `client_transaction_id` unique, so after this long the same request may be sent again. */
const REPEAT_AFTER_MS = 10_000

/** Creates a debit mandate (docs/payments-api.md, sections 2.1 to 2.3 and 4.1). Its clientTransactionId is the idempotency key. */
export async function createPaymentAgreement(
  options: CreateAgreementOptions,
  asked: AgreementRequest,
): Promise<AgreementOutcome> {
  const request = normaliseAgreementRequest(asked)
  const problems = agreementRequestProblems(request)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const site = options.sites.forCurrency(request.limit.currency, request.site ?? null)
  if (site === null) {
    const wanted = { amount: request.limit, site: request.site }
    return { kind: 'invalid-input', problems: [siteProblem(options.sites, wanted, ['limit', 'currency'])] }
  }
  return outcomeOf(await options.once.run(agreementTask(options, request, site)))
}

export function outcomeOf(outcome: Done<Agreement> | CommandFailure) {
  return outcome.kind === 'done'
    ? { kind: 'done' as const, agreement: outcome.result, replayed: outcome.replayed }
    : outcome
}

function agreementTask(
  options: CreateAgreementOptions,
  request: AgreementRequest,
  site: Site,
): Task<AgreementReport | Agreement, Agreement> {
  const { store, upstream, clock } = options
  const id = request.clientTransactionId
  return {
    mutation: 'createPaymentAgreement',
    key: id,
    input: request,
    site: site.id,
    refKind: 'agreement',
    repeatAfterMs: REPEAT_AFTER_MS,
    uniqueUpstream: true,
    send: (ref) =>
      upstream.createPaymentAgreement(site, {
        ...request,
        limit: request.limit.value,
        webhook: callbackAddress(options, 'agreement', ref),
      }),
    settle: async (command, made) => {
      if (!('streamId' in made))
        return store.commands.settleWithAgreement(command.id, { ref: command.ref, site: site.id }, made, clock())
      await store.commands.settle(command.id, { agreementId: made.id })
      return made
    },
    replay: async (command) => {
      const { agreementId } = command.result as { agreementId: string }
      return (await store.agreements.byIds([agreementId]))[0] ?? null
    },
    findOutcome: async (command) => {
      const known = await store.commands.traceAgreement(command.ref)
      // The search identifies an agreement by this id alone. If another caller used the same id, the result may be that caller's
      // agreement.
      if (known !== null || (await store.commands.hasNamesake(command))) return known
      return findAgreement(upstream, site, { clientTransactionId: id, now: clock() })
    },
  }
}
