import { type MethodRequirements, OPEN_AMOUNT, accepts } from '../domain/methods/payin-method.ts'
import {
  type DirectPayin,
  normalisePayinRequest,
  payinCurrency,
  payinExpiryProblems,
  payinRequestProblems,
  type PayinRequest,
} from '../domain/payments/direct-payin.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import { reportOf, type Payment } from '../domain/payments/payment.ts'
import type { MethodRequirementsReader } from '../lookups/method-requirements.ts'
import { type PaymentsFieldProblem, type InputFailure, siteProblem } from '../lookups/operation-outcome.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { Notification } from '../upstream/wire/values/wire-fields.ts'
import { callbackAddress, callbackUrl, findByAddress, type CommandOutcome, type Task } from './idempotency/task.ts'
import type { CommandParts } from './parts.ts'

/**
 * Creates a direct payin. The method's required fields are read from the payments API and checked first. The request is sent at
 * most once: after an attempt without an answer, its outcome is found by a webhook at the payin's own callback URL or in the
 * payin list of the payments API. Source: docs/payments-api.md, section 4.5; gap sheet, sections 9 and 10.
 */
export async function createPayin(
  options: CommandParts,
  asked: PayinRequest,
): Promise<CommandOutcome<Payment> | InputFailure> {
  const request = normalisePayinRequest(asked)
  const site = siteFor(options.sites, request)
  if ('path' in site) return { kind: 'invalid-input', problems: [site] }
  const problems = payinRequestProblems(request, null)
  if (problems.length > 0) return { kind: 'invalid-input', problems }

  const task = payinTask(options, request, site)
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return earlier
  const late = payinExpiryProblems(request, options.clock())
  if (late.length > 0) return { kind: 'invalid-input', problems: late }
  const refusal = await methodRefusal(options.requirements, request, site)
  return refusal ?? options.once.run(task)
}

function siteFor(sites: Sites, { amount, currency, site = null }: PayinRequest): Site | PaymentsFieldProblem {
  const wanted = payinCurrency({ amount, currency })
  if (wanted === '') return { path: ['currency'], message: 'is required without an amount' }
  const path = amount == null ? ['currency'] : ['amount', 'currency']
  return sites.forCurrency(wanted, site) ?? siteProblem(sites, { amount: { currency: wanted }, site }, path)
}

/** Checks the request against the method's required fields. If they cannot be read, the payments API does the validation. */
async function methodRefusal(
  cache: MethodRequirementsReader,
  request: PayinRequest,
  site: Site,
): Promise<InputFailure | null> {
  const codes = await cache.payinCodes(payinCurrency(request))
  if (codes !== null && !codes.includes(request.methodCode))
    return { kind: 'method-unavailable', availableCodes: codes }
  const requirements = await cache.payinFields(site, request.methodCode)
  if (requirements === null) return null
  if (!withinLimits(requirements, request)) return outOfRange(requirements, payinCurrency(request))
  const problems = payinRequestProblems(request, requirements)
  return problems.length === 0 ? null : { kind: 'invalid-input', problems }
}

function withinLimits({ minAmount, maxAmount }: MethodRequirements, { amount }: PayinRequest): boolean {
  return amount == null || accepts({ minAmount, maxAmount, currency: amount.currency }, amount) !== false
}

function outOfRange({ minAmount, maxAmount }: MethodRequirements, currency: string): InputFailure {
  const limit = (value: string | null) => (value === null ? null : { value, currency })
  return { kind: 'amount-out-of-range', min: limit(minAmount), max: limit(maxAmount) }
}

function payinTask(options: CommandParts, request: PayinRequest, site: Site): Task<PaymentReport, Payment> {
  const { store, upstream, clock } = options
  const load = async (id: string) => (await store.payments.byIds([id]))[0] ?? null
  return {
    mutation: 'createPayin',
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    refKind: 'payin',
    repeatAfterMs: null,
    send: (ref) => upstream.createPayin(site, wireRequest(request, callbackAddress(options, 'payment', ref))),
    settle: async (command, report) => {
      const at = clock()
      const payin = payinOf(request, { report, site, ref: command.ref, at })
      if (request.severalPayments === true) await store.commands.expectSeveral(payin, at)
      return store.commands.settleWithPayin(command.id, { payin, report, at })
    },
    replay: (command) => load((command.result as { paymentId: string }).paymentId),
    findOutcome: async ({ ref, sentAt }) => {
      const paymentId = await store.inbox.subjectOf(ref)
      const payment = paymentId === null ? null : await load(paymentId)
      if (payment !== null) return reportOf(payment)
      const attempt = {
        address: callbackUrl(options.publicUrl(), 'payment', ref),
        sentAt,
        searches: options.searches,
        now: clock().getTime(),
      }
      return (await findByAddress(attempt, (search) => upstream.listPayins(site, search)))?.report ?? null
    },
  }
}

function wireRequest(request: PayinRequest, webhook: Notification) {
  const { amount, methodFields, reference, description, ...rest } = request
  return {
    ...rest,
    currency: payinCurrency(request),
    amount: amount?.value ?? null,
    methodFields: methodFields ?? {},
    description: description ?? null,
    reference,
    webhook,
  }
}

function payinOf(
  request: PayinRequest,
  made: { report: PaymentReport; site: Site; ref: string; at: Date },
): DirectPayin {
  return {
    paymentId: made.report.paymentId,
    ref: made.ref,
    site: made.site.id,
    ownerId: request.ownerId ?? null,
    reference: request.reference,
    requestedAmount: { value: request.amount?.value ?? OPEN_AMOUNT, currency: payinCurrency(request) },
    methodCode: request.methodCode,
    createdAt: made.at.toISOString(),
  }
}
