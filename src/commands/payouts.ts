import type { Command } from '../domain/command.ts'
import { keyProblem } from '../domain/field-problems.ts'
import { MOST_FILE_PROBLEMS, type PayoutFileRequest, readPayoutFile } from '../domain/payouts/payout-file.ts'
import type { PayoutReport, PayoutStatus } from '../domain/payouts/payout-report.ts'
import {
  isV1,
  normalisePayoutRequest,
  payoutRequestProblems,
  type PayoutRequest,
  reportAsRequested,
  v1PayoutNumber,
} from '../domain/payouts/payout-rules.ts'
import { isRecorded, type Payout } from '../domain/payouts/payout.ts'
import type { SitedPayout } from '../lookups/find-payouts.ts'
import {
  type InputFailure,
  siteProblem,
  type InvalidInput,
  type StateFailure,
  asUnknown,
} from '../lookups/operation-outcome.ts'
import type { Site } from '../upstream/client/sites.ts'
import { callbackAddress, callbackUrl, findByAddress, type CommandOutcome, type Task } from './idempotency/task.ts'
import type { CommandParts } from './parts.ts'

export type PayoutOutcome = CommandOutcome<SitedPayout> | Exclude<InputFailure, { kind: 'amount-out-of-range' }>

/**
 * Pays out to one or many payees. The request is sent at most once: after an attempt without an answer, a callback tells the payout, or it is
 * looked for in the payout list of the payments API by its webhook URL. Source: gap sheet,
 * sections 18 and 20.
 */
export async function createPayout(
  options: CommandParts,
  asked: PayoutRequest,
  mutation = 'createPayout',
): Promise<PayoutOutcome> {
  const request = normalisePayoutRequest(asked)
  const wanted = { amount: { currency: request.currency }, site: request.site }
  const site = options.sites.forCurrency(request.currency, request.site ?? null)
  if (site === null) return { kind: 'invalid-input', problems: [siteProblem(options.sites, wanted, ['currency'])] }
  const task = payoutTask(options, request, { site, mutation })
  // Checked before the validation rules: the time of a scheduled payout may have passed since the first request, whose result
  // still counts.
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return earlier
  const problems = payoutRequestProblems(request, null, options.clock())
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const refusal = await methodRefusal(options, request, site)
  return refusal ?? options.once.run(task)
}

async function methodRefusal(
  { requirements, clock }: CommandParts,
  request: PayoutRequest,
  site: Site,
): Promise<PayoutOutcome | null> {
  const codes = await requirements.payoutCodes(request.currency)
  if (isV1(request) ? site.v1Payouts === null : codes !== null && !codes.includes(request.methodCode))
    return { kind: 'method-unavailable', availableCodes: (codes ?? []).filter((code) => code !== request.methodCode) }
  const needed = await requirements.payoutFields(site, request.methodCode)
  const problems = needed === null ? [] : payoutRequestProblems(request, needed, clock())
  return problems.length === 0 ? null : { kind: 'invalid-input', problems }
}

function payoutTask(
  options: CommandParts,
  request: PayoutRequest,
  { site, mutation }: { readonly site: Site; readonly mutation: string },
): Task<PayoutReport | Payout, SitedPayout> {
  const { store, upstream, clock } = options
  const { currencies } = site
  return {
    mutation,
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    refKind: 'payout',
    repeatAfterMs: null,
    send: (ref) =>
      upstream.createPayout(site, {
        ...request,
        webhook: callbackAddress(options, 'payout', ref),
      }),
    settle: async (command, told) => {
      if (isRecorded(told)) {
        await store.commands.settle(command.id, { payoutId: told.id })
        return { payout: told, currencies }
      }
      const report = reportAsRequested(told, request)
      const made = { ref: command.ref, site: site.id }
      return { payout: await store.commands.settleWithPayout(command.id, { ...made, report, at: clock() }), currencies }
    },
    replay: async (command) => {
      const { payoutId } = command.result as { payoutId: string }
      const [payout] = await store.payouts.byIds([payoutId])
      if (payout === undefined) throw new Error(`The payout of command ${command.id} is not recorded.`)
      return { payout, currencies }
    },
    findOutcome: async (command) =>
      (await store.commands.tracePayout(command.ref)) ??
      findPayout(options, { site, version: isV1(request) ? 'v1' : 'v2' }, command),
  }
}

function findPayout(
  { upstream, publicUrl, searches, clock }: CommandParts,
  { site, version }: { readonly site: Site; readonly version: 'v1' | 'v2' },
  { ref, sentAt }: Pick<Command, 'ref' | 'sentAt'>,
): Promise<PayoutReport | null> {
  const attempt = { address: callbackUrl(publicUrl(), 'payout', ref), sentAt, searches, now: clock().getTime() }
  return findByAddress(attempt, async (search) => {
    const { payouts: entries, totalPages } = await upstream.listPayouts(site, { ...search, version })
    return { entries, totalPages }
  })
}

export type CancelOutcome = CommandOutcome<SitedPayout> | InvalidInput | StateFailure

export type CancelRequest = { readonly idempotencyKey: string; readonly id: string }

/**
 * Cancels a scheduled payout (gap sheet, section 20). If the cancellation gets no answer, a read shows whether it took effect.
 */
export async function cancelScheduledPayout(options: CommandParts, request: CancelRequest): Promise<CancelOutcome> {
  const problem = keyProblem(request.idempotencyKey)
  if (problem !== null) return { kind: 'invalid-input', problems: [problem] }
  if (v1PayoutNumber(request.id) !== null) return { kind: 'invalid-input', problems: [NO_CANCELLATION] }
  // From the payments API, also if it is on record: a callback may be under way, and whether it can be cancelled must be certain.
  const found = await options.payoutFinder.read(request.id)
  if (found.kind !== 'done') return found
  const { payout, site } = found
  const task = cancelTask(options, request, site)
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return earlier
  if (payout.status !== 'scheduled') return { kind: 'state-conflict', statusRaw: payout.statusRaw }
  return options.once.run(task)
}

/** The payments API documents no way to cancel a v1 payout, so none is guessed: a guess might answer "ok" and cancel nothing. */
const NO_CANCELLATION = { path: ['id'], message: 'is of a v1 payout, which the payments API cannot cancel on request' }

/** A payout in one of these states was not cancelled. */
const NOT_CANCELLED: ReadonlySet<PayoutStatus> = new Set(['created', 'scheduled', 'processing', 'completed'])

function cancelTask(
  { store, upstream, clock }: CommandParts,
  request: CancelRequest,
  site: Site,
): Task<PayoutReport, SitedPayout> {
  const { currencies } = site
  return {
    mutation: 'cancelScheduledPayout',
    key: request.idempotencyKey,
    input: request,
    site: site.id,
    subject: { payoutId: request.id },
    refKind: null,
    repeatAfterMs: null,
    send: async () => {
      await upstream.cancelScheduledPayout(site, request.id)
      return upstream.getPayout(site, request.id).catch(asUnknown)
    },
    settle: async (command, payout) => {
      const recorded = await store.commands.settleWithPayoutCancellation(command.id, {
        payoutId: request.id,
        report: payout,
        at: clock(),
      })
      return { payout: recorded ?? payout, currencies }
    },
    replay: async () => {
      const [recorded] = await store.payouts.byIds([request.id])
      return { payout: recorded ?? (await upstream.getPayout(site, request.id)), currencies }
    },
    findOutcome: async () => {
      const payout = await upstream.getPayout(site, request.id)
      return payout.status !== null && NOT_CANCELLED.has(payout.status) ? null : payout
    },
  }
}

/**
 * Pays out to the payees of a file, as one batch and by the same rules as `createPayout`. Nothing is sent if anything is wrong with one line. The
 * payments API also takes a file, but no page names its columns: it is sent the batch itself (gap sheet, section 20).
 */
export async function createPayoutFromFile(options: CommandParts, asked: PayoutFileRequest): Promise<PayoutOutcome> {
  const { file, ...batch } = asked
  const read = readPayoutFile(file, batch.currency)
  if ('problems' in read) return { kind: 'invalid-input', problems: read.problems }
  const { transactions, placed } = read
  const outcome = await createPayout(options, { ...batch, transactions }, 'createPayoutFromFile')
  if (outcome.kind !== 'invalid-input') return outcome
  return { ...outcome, problems: outcome.problems.slice(0, MOST_FILE_PROBLEMS).map(placed) }
}
