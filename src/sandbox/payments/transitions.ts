import { stringifyExactJson } from '../../lib/exact-json.ts'
import { methodsOf, type Method } from '../methods/methods.ts'
import { newToken, newUuid } from '../state/ids.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf, tell } from '../webhooks/webhook-composer.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import { isPayin, offeredMethods, statusOf, type Link, type Payment, type PaymentStatus } from './link.ts'
import { webhookTarget, paymentObject, type StateOverrides } from './payment-object.ts'

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
export function composeWebhook(
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
