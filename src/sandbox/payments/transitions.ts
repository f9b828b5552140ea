import { stringifyExactJson } from '../../lib/exact-json.ts'
import { methodsOf } from '../methods/methods.ts'
import type { Method } from '../methods/methods.ts'
import { newToken, newUuid } from '../state/ids.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf, tell } from '../webhooks/webhook-composer.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import { isPayin, offeredMethods, statusOf } from './link.ts'
import type { Link, Payment } from './link.ts'
import { webhookTarget } from './payment-facts.ts'
import { paymentObject } from './payment-object.ts'
import type { TellOptions } from './payment-object.ts'
import type { PaymentStatus } from './status.ts'

export type TransitionOptions = {
  /** The payment's `pay_code` in the new status; null when absent. */
  payCode?: Readonly<Record<string, string>> | undefined
  /** The truth changes and no webhook tells of it. */
  silent?: boolean
}

/**
 * Moves a payment to a status and tells the merchant. Ends the automatic step that was planned. Resolves when the
 * webhook has been tried for the first time; never rejects.
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

/** Makes the payment of a link, with a uuid of its own for all but payins; it has no history until the first transition. */
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

/** The payment of a link; where the customer has not begun, one by the method that the page would offer first. */
export function ensurePayment(store: SandboxStore, link: Link): Payment {
  return link.payment ?? startPayment(store, link, likelyMethod(link))
}

/** Tells whether a uuid belongs to a link, a payment or a payout already. */
export function isTaken(store: SandboxStore, uuid: string): boolean {
  if (store.links.has(uuid) || store.payouts.has(uuid)) return true
  return [...store.links.values()].some((link) => link.payment?.uuid === uuid)
}

/** Sends the webhook of the present status, or keeps it back while a swapped delivery is armed. */
export async function announce(store: SandboxStore, link: Link): Promise<void> {
  await tell(store, link, composeWebhook(store, link, 'transition'))
}

/** The webhook that tells of a link, signed; undefined when it has no address to go to. */
export function composeWebhook(
  store: SandboxStore,
  link: Link,
  kind: WebhookKind,
  told: TellOptions = {},
): OutgoingWebhook | undefined {
  const target = webhookTarget(store, link)
  if (target === undefined) return undefined
  const body = stringifyExactJson(paymentObject(store, link, told))
  return {
    subject: link.uuid,
    kind,
    status: told.status ?? statusOf(link),
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
