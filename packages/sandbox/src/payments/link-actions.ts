import { stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { recordedAmount, methodsOf, type Method } from '../methods/methods.ts'
import {
  failureReason,
  statusOf,
  type GatewayOrder,
  type Link,
  type LinkRequest,
  type PayinTerms,
  type PaymentStatus,
  awaits3ds,
  awaitsPayer,
  awaitsPrompt,
  methodOf,
  type Payment,
  REFUND_STATUSES,
  isLegal,
  isPayin,
  offeredMethods,
} from '../state/link.ts'
import { newUuid, newToken, type SandboxSite, type SandboxStore } from '../state/sandbox-store.ts'
import type { OutgoingWebhook, WebhookKind } from '../state/webhook-sender.ts'
import { compareDecimals, addDecimals, decimal, subtractDecimals, type Decimal } from '../values/decimal.ts'
import { signatureOf, tell, type WebhookSource } from '../webhooks/webhook-faults.ts'
import { paidInFull, isRefundable, webhookTarget, paymentObject, type StateOverrides } from './payment-object.ts'

/** Stores a new link and schedules its expiry. `kind` makes it a payin or a gateway payment instead. */
export function createLink(store: SandboxStore, site: SandboxSite, request: LinkRequest, kind: LinkKind = {}): Link {
  const createdAt = store.clock.now()
  const link: Link = {
    uuid: newUuid((uuid) => isTaken(store, uuid)),
    siteId: site.id,
    request,
    payin: kind.payin,
    gateway: kind.gateway,
    createdAt,
    expiresAt: kind.expiresAt ?? new Date(createdAt.getTime() + request.expiresInSeconds * 1000),
    payment: undefined,
    lapsed: false,
    step: undefined,
    held: undefined,
  }
  store.links.set(link.uuid, link)
  planExpiry(store, link, link.expiresAt)
  return link
}

/** Schedules the expiry of a link. */
export function planExpiry(store: SandboxStore, link: Link, at: Date): void {
  if (!link.lapsed) store.clock.schedule(at, () => lapse(store, link))
}

type LinkKind = { payin?: PayinTerms; gateway?: GatewayOrder; expiresAt?: Date | undefined }

/** Returns the site's link with this uuid, but no payin and no gateway payment. */
export function findLink(store: SandboxStore, site: SandboxSite, uuid: string): Link | undefined {
  const link = store.links.get(uuid)
  return link?.siteId === site.id && isPlain(link) ? link : undefined
}

/** Returns the link, payin or gateway payment with this uuid, or the link whose payment has it. */
export function findByAnyUuid(store: SandboxStore, uuid: string): Link | undefined {
  return store.links.get(uuid) ?? [...store.links.values()].find((link) => link.payment?.uuid === uuid)
}

export type LinkFilter = { status?: PaymentStatus; from?: Date; to?: Date }

/** Returns the site's links that match a filter, newest first; both dates are inclusive. */
export function listLinks(store: SandboxStore, site: SandboxSite, { status, from, to }: LinkFilter): Link[] {
  return [...store.links.values()]
    .filter((link) => link.siteId === site.id && isPlain(link))
    .filter((link) => status === undefined || statusOf(link) === status)
    .filter((link) => (from === undefined || link.createdAt >= from) && (to === undefined || link.createdAt <= to))
    .reverse()
}

/** Whether this is a v3 link. */
export function isPlain({ payin, gateway }: Link): boolean {
  return payin === undefined && gateway === undefined
}

/** After this time an unanswered prompt on a handset counts as ignored. */
const PROMPT_MS = 5 * 60_000

/** A scan of a code takes this many times the pace between two steps of a card payment. */
const SCAN_PACES = 20

/** Lifetime of a refund request (docs/payments-api.md, section 8). */
const REFUND_REQUEST_MS = 10 * 24 * 60 * 60_000

/** Refunds with one of these descriptions end in that status; all other refunds succeed. */
export const MAGIC_REFUNDS = ['return_rejected', 'return_expired'] as const

/**
 * Moves a payment to a status now, and schedules the automatic steps that follow it on the sandbox clock. Resolves after the
 * first attempt of the webhook of the first status.
 */
export async function proceed(
  store: SandboxStore,
  link: Link,
  to: PaymentStatus,
  payCode?: Readonly<Record<string, string>>,
): Promise<void> {
  const firstAttempt = transition(store, link, to, { payCode })
  planStep(store, link)
  await firstAttempt
}

/**
 * Expires a link. A link that was not started or is pending becomes `expired`; an unanswered prompt makes the payment fail
 * (docs/payments-api.md, section 2.5); payments that went further continue.
 */
export async function lapse(store: SandboxStore, link: Link): Promise<void> {
  if (link.lapsed) return
  link.lapsed = true
  if (awaitsPrompt(link)) await transition(store, link, 'failed', { payCode: promptFailure(PROMPT_IGNORED) })
  else if (link.payment === undefined) await announce(store, link)
  else if (link.payment.status === 'pending') await transition(store, link, 'expired')
}

/** The failure of a mobile money payment whose prompt was not approved. */
export function promptFailure(message: string): Readonly<Record<string, string>> {
  return { ...failureReason('customer_canceled', message) }
}

const PROMPT_IGNORED = 'The prompt on the handset was not answered in time.'

type Step = { to: PaymentStatus; afterMs: number; payCode?: Readonly<Record<string, string>> }

/** Schedules the automatic step that follows the status of a payment, if there is one; by default after the time that it takes. */
export function planStep(store: SandboxStore, link: Link, at?: Date): void {
  const step = nextStep(store, link)
  if (step === undefined) return
  const dueAt = at ?? new Date(store.clock.now().getTime() + step.afterMs)
  link.step = store.clock.schedule(dueAt, () => {
    if (step.to === 'return_received' || step.to === 'partially_refunded') bookRefund(link)
    return proceed(store, link, step.to, step.payCode)
  })
}

function nextStep(store: SandboxStore, link: Link): Step | undefined {
  const status = link.payment?.status
  if (status === 'authorised') return { to: 'waiting', afterMs: store.paceMs }
  if (status === 'waiting') return { to: 'received', afterMs: store.paceMs }
  if (status === 'return_pending') return refundStep(store, link)
  if (status !== 'pending' || awaits3ds(link)) return undefined
  if (awaitsPrompt(link)) return { to: 'failed', afterMs: PROMPT_MS, payCode: promptFailure(PROMPT_IGNORED) }
  if (awaitsPayer(link)) return undefined
  if (link.payment?.payCode?.['qr_string'] !== undefined) return { to: 'received', afterMs: store.paceMs * SCAN_PACES }
  return { to: methodOf(link)?.kind === 'card' ? 'authorised' : 'received', afterMs: store.paceMs }
}

function refundStep(store: SandboxStore, link: Link): Step | undefined {
  const refund = link.payment?.refund
  if (refund === undefined) return undefined
  const magic = MAGIC_REFUNDS.find((status) => status === refund.description)
  if (magic !== undefined) return { to: magic, afterMs: magic === 'return_expired' ? REFUND_REQUEST_MS : store.paceMs }
  const isWhole = compareDecimals(refund.requested, paidInFull(link)) >= 0
  return { to: isWhole ? 'return_received' : 'partially_refunded', afterMs: store.paceMs }
}

function bookRefund(link: Link): void {
  const refund = link.payment?.refund
  if (refund !== undefined) refund.refunded = refund.requested
}

export type RefundRequest = {
  /** Default: the whole remaining amount. */
  amount: Decimal | undefined
  description: string
}

/** The accepted amount, or the problems by field name (gap sheet, section 12). */
export type RefundOutcome = { accepted: Decimal } | { problems: Record<string, string> }

/**
 * Requests a refund (gap sheet, sections 5.5 and 12). The payment moves to `return_pending` and then proceeds automatically.
 */
export function requestRefund(store: SandboxStore, link: Link, { amount, description }: RefundRequest): RefundOutcome {
  const { payment, request } = link
  if (
    payment === undefined ||
    !isLegal(payment.status, 'return_pending') ||
    !isRefundable(payment.method, payment.status)
  )
    return { problems: { payment_request_id: 'is not refundable' } }
  const refunded = payment.refund?.refunded ?? ZERO
  const left = subtractDecimals(paidInFull(link), refunded)
  const asked = amount === undefined ? left : recordedAmount(amount, request.currency)
  if (compareDecimals(asked, ZERO) <= 0) return { problems: { refund_amount: 'must be greater than 0' } }
  if (compareDecimals(asked, left) > 0) return { problems: { refund_amount: 'is more than what is left' } }
  payment.refund = { description, requested: addDecimals(refunded, asked), refunded }
  void proceed(store, link, 'return_pending')
  return { accepted: asked }
}

/**
 * Records the refund for a status that the control endpoint sets. `total` is the total refund: the requested amount in
 * `return_pending`, the refunded amount otherwise. Default: the whole amount, or half of it for a partial refund.
 */
export function noteRefund(
  link: Link,
  payment: Payment,
  { status, total }: { status: PaymentStatus; total: Decimal | undefined },
): void {
  if (!REFUND_STATUSES.has(status)) return
  const whole = paidInFull(link)
  const half = recordedAmount({ units: whole.units * 5n, scale: whole.scale + 1 }, link.request.currency)
  const requested = total ?? payment.refund?.requested ?? (status === 'partially_refunded' ? half : whole)
  const isPaid = status === 'partially_refunded' || status === 'return_received'
  const refunded = isPaid ? requested : (payment.refund?.refunded ?? ZERO)
  payment.refund = { description: payment.refund?.description ?? 'Set by the control endpoint', requested, refunded }
}

const ZERO = decimal('0')

export type TransitionOptions = {
  /** The payment's `pay_code` in the new status; null when absent. */
  payCode?: Readonly<Record<string, string>> | undefined
  /** Changes the status without sending a webhook. */
  silent?: boolean
}

/**
 * Moves a payment to a status, sends the webhook and cancels the planned automatic step. Resolves after the first attempt of
 * the webhook; never rejects.
 */
export async function transition(
  store: SandboxStore,
  link: Link,
  to: PaymentStatus,
  { payCode, silent = false }: TransitionOptions = {},
): Promise<void> {
  const payment = ensurePayment(store, link)
  link.step?.cancel()
  link.step = undefined
  payment.status = to
  payment.payCode = payCode ?? null
  payment.history.push({ status: to, at: store.clock.now(), silent })
  if (!silent) await announce(store, link)
}

/** Creates the payment of a link, with its own uuid except for payins; its history is empty until the first transition. */
export function startPayment(store: SandboxStore, link: Link, method: Method): Payment {
  const payment: Payment = {
    uuid: isPayin(link) ? link.uuid : newUuid((uuid) => isTaken(store, uuid)),
    startedAt: store.clock.now(),
    history: [],
    method,
    status: 'pending',
    payCode: null,
    token: newToken(),
    paid: undefined,
    refund: undefined,
  }
  link.payment = payment
  return payment
}

/** Returns the payment of a link. Before the customer starts to pay, creates one with the first method that the page offers. */
export function ensurePayment(store: SandboxStore, link: Link): Payment {
  return link.payment ?? startPayment(store, link, likelyMethod(link))
}

/** Whether a uuid already belongs to a link, a payment or a payout. */
export function isTaken(store: SandboxStore, uuid: string): boolean {
  if (store.links.has(uuid) || store.payouts.has(uuid)) return true
  return [...store.links.values()].some((link) => link.payment?.uuid === uuid)
}

/** Sends the webhook of the current status, or holds it back while a `reordered` fault is armed. */
export async function announce(store: SandboxStore, link: Link): Promise<void> {
  await tell(store, link, composeWebhook(store, link, 'transition'))
}

/** Composes and signs the webhook of a link; undefined when the link has no webhook target. */
function composeWebhook(
  store: SandboxStore,
  link: Link,
  kind: WebhookKind,
  overrides: StateOverrides = {},
): OutgoingWebhook | undefined {
  const target = webhookTarget(store, link)
  if (target === undefined) return undefined
  const body = stringifyExactJson(paymentObject(store, link, overrides))
  return {
    subject: link.uuid,
    kind,
    status: overrides.status ?? statusOf(link),
    url: target.endpointUrl,
    authorization: target.authorizationHeader,
    body,
    signature: signatureOf(store, body),
  }
}

function likelyMethod(link: Link): Method {
  const method = offeredMethods(link)[0] ?? methodsOf([link.request.currency])[0]
  if (method === undefined) throw new Error('The currency of the link has no method.')
  return method
}

/** Webhook source for a link, payin or gateway payment, as the webhook faults use it. */
export function linkWebhookSource(store: SandboxStore, link: Link): WebhookSource<PaymentStatus> {
  return {
    subject: link.uuid,
    holder: link,
    compose: (kind, status) => composeWebhook(store, link, kind, overridesFor(status)),
  }
}

/** A failure needs a reason in its body; webhooks of all other statuses have no `pay_code`. */
function overridesFor(status: PaymentStatus | undefined): StateOverrides {
  if (status === undefined) return {}
  return { status, payCode: status === 'failed' ? { ...failureReason('generic_declined') } : null }
}
