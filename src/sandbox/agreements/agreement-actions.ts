import type { SandboxSite } from '../state/sandbox-sites.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { tell } from '../webhooks/webhook-composer.ts'
import { composeCallback } from './agreement-webhooks.ts'
import type { StatusRequest } from './check-agreement-request.ts'
import { isTerminal, mayMerchantMove } from './sandbox-agreement.ts'
import type { Agreement, AgreementRequest, AgreementStatus, AgreementTerms } from './sandbox-agreement.ts'

/** Payers with one of these names reject the mandate or never respond; every other payer authorises the mandate. */
export const MAGIC_PAYERS = { reject: 'Reject Mandate', wait: 'Keep Waiting' } as const

/**
 * Stores a new agreement and schedules the payer's response. Returns undefined when its `client_transaction_id` was used
 * before.
 */
export function createAgreement(
  store: SandboxStore,
  site: SandboxSite,
  request: AgreementRequest,
): Agreement | undefined {
  const { clientTransactionId, payer, limitAmount, details, target } = request
  const all = [...store.agreements.values()]
  if (all.some((other) => other.request.clientTransactionId === clientTransactionId)) return undefined
  const createdAt = store.clock.now()
  const agreement: Agreement = {
    id: (store.agreementsMade += 1),
    siteId: site.id,
    request,
    createdAt,
    history: [{ status: 'created', at: createdAt, silent: true }],
    terms: { limitAmount, details, target },
    status: 'created',
    step: undefined,
    held: undefined,
  }
  store.agreements.set(agreement.id, agreement)
  if (payer.name !== MAGIC_PAYERS.wait) planAnswer(store, agreement)
  return agreement
}

/** Moves an agreement to a status, sends the callback and cancels a pending payer's response. Never rejects. */
export async function moveAgreement(
  store: SandboxStore,
  agreement: Agreement,
  status: AgreementStatus,
  { silent = false }: { silent?: boolean } = {},
): Promise<void> {
  agreement.step?.cancel()
  agreement.step = undefined
  agreement.status = status
  agreement.history.push({ status, at: store.clock.now(), silent })
  if (!silent) await tell(store, agreement, composeCallback(store, agreement, 'transition'))
}

/** Handles a merchant's status request. Returns the problem when the change is not allowed (gap sheet, section 2). */
export function changeStatus(
  store: SandboxStore,
  agreement: Agreement,
  to: StatusRequest['status'],
): string | undefined {
  if (!mayMerchantMove(agreement.status, to)) return `status cannot change from ${agreement.status} to ${to}`
  void moveAgreement(store, agreement, to)
  return undefined
}

/** Handles a merchant's amendment. Returns the problem when the agreement can no longer be amended. */
export function amend(agreement: Agreement, terms: AgreementTerms): string | undefined {
  if (isTerminal(agreement.status)) return `a ${agreement.status} agreement cannot be amended`
  agreement.terms = terms
  return undefined
}

/** Returns the site's agreements that were created between the two instants, both inclusive, newest first. */
export function listAgreements(
  store: SandboxStore,
  site: SandboxSite,
  { from, to }: { from: Date; to: Date },
): Agreement[] {
  return [...store.agreements.values()]
    .filter(({ siteId, createdAt }) => siteId === site.id && createdAt >= from && createdAt <= to)
    .reverse()
}

function planAnswer(store: SandboxStore, agreement: Agreement): void {
  resumeAgreement(store, agreement, new Date(store.clock.now().getTime() + store.mandateMs))
}

/** Schedules the payer's response to an agreement. */
export function resumeAgreement(store: SandboxStore, agreement: Agreement, at: Date): void {
  const answer = agreement.request.payer.name === MAGIC_PAYERS.reject ? 'failed' : 'active'
  agreement.step = store.clock.schedule(at, () => moveAgreement(store, agreement, answer))
}
