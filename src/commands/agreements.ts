import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import {
  agreementRequestProblems,
  normaliseAgreementRequest,
  type AgreementRequest,
  amendRequestProblems,
  type AmendmentRequest,
} from '../domain/agreements/agreement-rules.ts'
import { type Agreement, canAmend, canChangeStatus } from '../domain/agreements/agreement.ts'
import { keyProblem } from '../domain/field-problems.ts'
import { compareDecimals } from '../domain/money/money.ts'
import { type InvalidInput, siteProblem, type StateFailure } from '../lookups/operation-outcome.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import { findAgreement } from '../upstream/endpoints/agreement-endpoints.ts'
import { callbackAddress, type CommandOutcome, type Task } from './idempotency/task.ts'
import type { CommandParts } from './parts.ts'

/** The payments API keeps `client_transaction_id` unique, so after this long the same request may be sent again. */
const REPEAT_AFTER_MS = 10_000

/** Creates a debit mandate (docs/payments-api.md, sections 2.1 to 2.3 and 4.1). Its clientTransactionId is the idempotency key. */
export async function createPaymentAgreement(
  options: CommandParts,
  asked: AgreementRequest,
): Promise<CommandOutcome<Agreement> | InvalidInput> {
  const request = normaliseAgreementRequest(asked)
  const problems = agreementRequestProblems(request)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const site = options.sites.forCurrency(request.limit.currency, request.site ?? null)
  if (site === null) {
    const wanted = { amount: request.limit, site: request.site }
    return { kind: 'invalid-input', problems: [siteProblem(options.sites, wanted, ['limit', 'currency'])] }
  }
  return options.once.run(agreementTask(options, request, site))
}

function agreementTask(
  options: CommandParts,
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
    ownerId: request.ownerId,
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
        return store.commands.settleWithAgreement(command.id, {
          ref: command.ref,
          site: site.id,
          report: made,
          at: clock(),
        })
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

type ChangeOutcome = CommandOutcome<Agreement> | InvalidInput | StateFailure

export type StatusRequest = {
  readonly idempotencyKey: string
  readonly id: string
  readonly status: 'active' | 'suspended' | 'cancelled'
}

/**
 * Changes the terms of an agreement (gap sheet, section 14). If the call gets no answer, a callback or a read shows whether it
 * took effect.
 */
export async function amendPaymentAgreement(options: CommandParts, request: AmendmentRequest): Promise<ChangeOutcome> {
  const problems = amendRequestProblems(request)
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  return change(options, request, {
    mutation: 'amendPaymentAgreement',
    allowed: ({ status }) => canAmend(status),
    send: ({ agreement, site }) =>
      options.upstream.amendPaymentAgreement(site, {
        ...request,
        serviceId: agreement.serviceId ?? '',
        limit: request.limit.value,
        webhook: callbackAddress(options, 'agreement', agreement.ref),
      }),
    wasDone: (report) =>
      report.limit !== null &&
      compareDecimals(report.limit, request.limit.value) === 0 &&
      report.amountRule === request.amountRule &&
      report.frequency === request.frequency &&
      report.startDate === request.startDate,
  })
}

/**
 * Suspends, resumes or cancels an agreement (gap sheet, section 15). If the call gets no answer, a callback or a read shows
 * whether it took effect.
 */
export async function changePaymentAgreementStatus(
  options: CommandParts,
  request: StatusRequest,
): Promise<ChangeOutcome> {
  const problem = keyProblem(request.idempotencyKey)
  if (problem !== null) return { kind: 'invalid-input', problems: [problem] }
  return change(options, request, {
    mutation: 'changePaymentAgreementStatus',
    allowed: ({ status }) => canChangeStatus(status, request.status),
    send: ({ agreement, site }) =>
      options.upstream.changeAgreementStatus(site, { serviceId: agreement.serviceId ?? '', status: request.status }),
    wasDone: (report) => report.status === request.status,
  })
}

type Subject = { readonly agreement: Agreement; readonly site: Site }

type Told = Pick<AgreementReport, 'status' | 'limit' | 'amountRule' | 'frequency' | 'startDate'>

type Change = {
  readonly mutation: string
  readonly allowed: (agreement: Agreement) => boolean
  readonly send: (subject: Subject) => Promise<AgreementReport>
  /** Returns whether the agreement's reported state shows that the change was made. */
  readonly wasDone: (told: Told) => boolean
}

async function change(
  options: CommandParts,
  request: { readonly idempotencyKey: string; readonly id: string },
  how: Change,
): Promise<ChangeOutcome> {
  const [agreement] = await options.store.agreements.byIds([request.id])
  const site = agreement === undefined ? null : siteOf(options.sites, agreement)
  if (agreement === undefined || site === null) return { kind: 'not-found' }

  const task = changeTask(options, request, { ...how, agreement, site })
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return earlier
  if (!how.allowed(agreement)) return { kind: 'state-conflict', statusRaw: agreement.statusRaw }
  return options.once.run(task)
}

/** An agreement that is known from a callback alone has no recorded site: the first site for AUD is used. */
function siteOf(sites: Sites, agreement: Agreement): Site | null {
  return sites.byId(agreement.site) ?? sites.forCurrency('AUD')
}

function changeTask(
  { store, upstream, clock }: CommandParts,
  request: { readonly idempotencyKey: string; readonly id: string },
  { mutation, send, wasDone, agreement, site }: Change & Subject,
): Task<AgreementReport | Agreement, Agreement> {
  const load = async () => (await store.agreements.byIds([request.id]))[0] ?? null
  return {
    mutation,
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    subject: { agreementId: request.id },
    refKind: null,
    repeatAfterMs: null,
    send: () => send({ agreement, site }),
    settle: async (command, told) => {
      if (!('streamId' in told))
        return store.commands.settleWithAgreementChange(command.id, {
          agreementId: request.id,
          report: told,
          at: clock(),
        })
      await store.commands.settle(command.id, { agreementId: told.id })
      return told
    },
    replay: load,
    findOutcome: async ({ subjectVersion }) => {
      const known = await load()
      const hasChanged = known !== null && subjectVersion !== null && known.version > subjectVersion
      if (hasChanged && wasDone(known)) return known
      const { clientTransactionId, createdAt } = agreement
      const report = await findAgreement(upstream, site, {
        clientTransactionId,
        id: agreement.id,
        now: clock(),
        ...(createdAt === null ? {} : { createdAt: new Date(createdAt) }),
      })
      return report !== null && wasDone(report) ? report : null
    },
  }
}
