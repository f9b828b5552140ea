import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import type {
  Agreement,
  AgreementRequest,
  AgreementStatus,
  AgreementTerms,
  Payer,
  REQUESTABLE_STATUSES,
} from '../state/agreement.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import type { OutgoingWebhook, WebhookKind } from '../state/webhook-sender.ts'
import { jsonNumber } from '../values/decimal.ts'
import { tell, signatureOf, type WebhookSource } from '../webhooks/webhook-faults.ts'
import type { StatusRequest } from './check-agreement-request.ts'

/** The agreement id that the payments API uses in responses and callbacks: `agreement-<n>`. */
export function agreementIdOf({ id }: Pick<Agreement, 'id'>): string {
  return `agreement-${id}`
}

/** Whether a merchant may move an agreement from one status to another (gap sheet, section 2). */
function mayMerchantMove(from: AgreementStatus, to: (typeof REQUESTABLE_STATUSES)[number]): boolean {
  return (MERCHANT_MOVES[from] ?? []).includes(to)
}

/** Whether the status of an agreement can no longer change. */
function isTerminal(status: AgreementStatus): boolean {
  return status === 'cancelled' || status === 'failed'
}

const MERCHANT_MOVES: Partial<Record<AgreementStatus, readonly AgreementStatus[]>> = {
  created: ['cancelled'],
  active: ['suspended', 'cancelled'],
  suspended: ['active', 'cancelled'],
}

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

/** Webhook source for an agreement, as the webhook faults use it. */
export function agreementWebhookSource(store: SandboxStore, agreement: Agreement): WebhookSource<AgreementStatus> {
  return {
    subject: agreementIdOf(agreement),
    holder: agreement,
    compose: (kind, status) => composeCallback(store, agreement, kind, status),
  }
}

/**
 * Composes the callback for an agreement (docs/payments-api.md, section 4.1); signed only when the sandbox is configured to.
 */
function composeCallback(
  store: SandboxStore,
  agreement: Agreement,
  kind: WebhookKind,
  status: AgreementStatus = agreement.status,
): OutgoingWebhook {
  const body = stringifyExactJson(agreementObject(agreement, status))
  return {
    subject: agreementIdOf(agreement),
    kind,
    status,
    url: agreement.terms.target.endpointUrl,
    authorization: agreement.terms.target.authorizationHeader,
    body,
    signature: store.signAgreementCallbacks ? signatureOf(store, body) : undefined,
  }
}

/**
 * The agreement as API responses and callbacks show it (docs/payments-api.md, section 2.1). `status` overrides the
 * agreement's status. The Authorization value is not masked: the documents do not mention masking for agreements.
 */
export function agreementObject(agreement: Agreement, status: AgreementStatus = agreement.status): object {
  const { request, terms } = agreement
  const { wrapper, startDate, frequency } = terms.details
  return {
    id: agreement.id,
    payment_agreement_id: agreementIdOf(agreement),
    client_transaction_id: request.clientTransactionId,
    limit_amount: jsonNumber(terms.limitAmount),
    description: request.description,
    external_id: request.externalId ?? null,
    status,
    created_at: agreement.createdAt.toISOString(),
    payment_agreement_type: request.type.replace('_', ' '),
    agreement_details: { [wrapper]: { start_date: startDate, frequency } },
    payer_details: payerObject(request.payer),
    payment_agreement_notification: {
      endpoint_url: terms.target.endpointUrl,
      authorization_header: terms.target.authorizationHeader,
    },
  }
}

function payerObject({ name, bankAccount, payId }: Payer): object {
  return {
    name,
    ...(bankAccount && { bank_account_details: { bsb: bankAccount.bsb, account_number: bankAccount.accountNumber } }),
    ...(payId && { pay_id_details: { pay_id: payId.id, pay_id_type: payId.type } }),
  }
}
