import { keyProblem } from '../domain/field-problems.ts'
import type { PayoutReport, PayoutStatus } from '../domain/payouts/payout-report.ts'
import { v1PayoutNumber } from '../domain/payouts/v1-payout.ts'
import type { SitedPayout } from '../lookups/list-payouts.ts'
import type { CommandFailure, InvalidInput, StateFailure } from '../lookups/operation-outcome.ts'
import { faultOf } from '../lookups/upstream-failure.ts'
import type { Site } from '../upstream/client/sites.ts'
import { unknownOutcome } from '../upstream/client/upstream-fault.ts'
import { outcomeOf, type PayoutDone, type PayoutOptions } from './create-payout.ts'
import type { Task } from './idempotency/task.ts'

export type CancelOutcome = PayoutDone | InvalidInput | StateFailure | CommandFailure

export type CancelRequest = { readonly idempotencyKey: string; readonly id: string }

/**
 * Cancels a scheduled payout (gap sheet, section 20). If the cancellation gets no answer, a read shows whether it took effect.
 */
export async function cancelScheduledPayout(options: PayoutOptions, request: CancelRequest): Promise<CancelOutcome> {
  const problem = keyProblem(request.idempotencyKey)
  if (problem !== null) return { kind: 'invalid-input', problems: [problem] }
  if (v1PayoutNumber(request.id) !== null) return { kind: 'invalid-input', problems: [NO_CANCELLATION] }
  // From the payments API, also if it is on record: a callback may be under way, and whether it can be cancelled must be certain.
  const found = await options.payoutFinder.read(request.id)
  if (found.kind !== 'done') return found
  const { payout, site } = found
  const task = cancelTask(options, request, site)
  const earlier = await options.once.earlier(task)
  if (earlier !== null) return outcomeOf(earlier)
  if (payout.status !== 'scheduled') return { kind: 'state-conflict', statusRaw: payout.statusRaw }
  return outcomeOf(await options.once.run(task))
}

/** The payments API documents no way to cancel a v1 payout, so none is guessed: a guess might answer "ok" and cancel nothing. */
const NO_CANCELLATION = { path: ['id'], message: 'is of a v1 payout, which the payments API cannot cancel on request' }

/** A payout in one of these states was not cancelled. */
const NOT_CANCELLED: ReadonlySet<PayoutStatus> = new Set(['created', 'scheduled', 'processing', 'completed'])

function cancelTask(
  { store, upstream, clock }: PayoutOptions,
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
      const recorded = await store.commands.settleWithPayoutCancellation(command.id, request.id, payout, clock())
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

/** The cancellation was accepted, so a failed read after it must not be reported as "nothing was done". */
function asUnknown(error: unknown): never {
  throw faultOf(error) === null ? error : unknownOutcome('not-read-back')
}
