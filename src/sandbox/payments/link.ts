import type { ExactJson } from '../../lib/exact-json.ts'
import { accepts, methodByCode, methodsOf } from '../methods/methods.ts'
import type { Method } from '../methods/methods.ts'
import type { Timer } from '../state/clock.ts'
import { addDecimals, roundDecimal } from '../values/decimal.ts'
import type { Decimal } from '../values/decimal.ts'
import type { OutgoingWebhook } from '../webhooks/webhook-sender.ts'
import type { PaymentStatus } from './status.ts'

/** Where the webhooks of a link go, and the Authorization value that they carry there. */
export type WebhookTarget = { readonly endpointUrl: string; readonly authorizationHeader?: string }

/** The body of a link creation after validation. */
export type LinkRequest = {
  readonly currency: string
  readonly amount: Decimal
  readonly description: string
  readonly sender: { readonly email: string; readonly firstName: string; readonly lastName: string }
  readonly methodCode: string | null
  readonly expiresInSeconds: number
  readonly redirect: { readonly success?: string; readonly failure?: string }
  readonly webhook: WebhookTarget | undefined
  readonly metaData: ExactJson | undefined
}

/** What was asked to be paid back, and what has been paid back already. */
export type Refund = {
  readonly description: string
  readonly requested: Decimal
  refunded: Decimal
}

/** One entry of a payment's history. */
export type StatusChange = { readonly status: PaymentStatus; readonly at: Date; readonly silent: boolean }

/** What exists from the moment the customer starts to pay; a second try after a failure is the same payment. */
export type Payment = {
  readonly uuid: string
  readonly startedAt: Date
  readonly history: StatusChange[]
  method: Method
  status: PaymentStatus
  payCode: Readonly<Record<string, string>> | null
  token: string
  /** What was paid, where a simulation named an amount. */
  paid: Decimal | undefined
  refund: Refund | undefined
}

/** What a payin of the v2 interface has beyond what it shares with a link (gap sheet, section 9). */
export type PayinTerms = {
  readonly name: string
  /** Ten per cent come on top of the amount. */
  readonly gst: boolean
  readonly externalId: string | null
  readonly metadata: ExactJson | undefined
}

/** What a payment of the v1 gateway has beyond what it shares with a link (gap sheet, section 4). */
export type GatewayOrder = { readonly paymentId: number; readonly orderId: string }

/**
 * A payment link and all that the sandbox knows of it. A payin and a gateway payment are links too: they go through the
 * same statuses, and differ in how they are made and told of.
 */
export type Link = {
  readonly uuid: string
  readonly siteId: string
  readonly request: LinkRequest
  /** Set for a payin alone. */
  readonly payin: PayinTerms | undefined
  /** Set for a gateway payment alone. */
  readonly gateway: GatewayOrder | undefined
  readonly createdAt: Date
  readonly expiresAt: Date
  payment: Payment | undefined
  /** The page takes no payment any more: the time is over, or the customer let it expire. */
  lapsed: boolean
  /** The next automatic step, while there is one. */
  step: Timer | undefined
  /** Webhooks kept back for a swapped delivery, while one is armed. */
  held: OutgoingWebhook[] | undefined
}

/** A payin of the v2 interface; its payment exists from the start and has the same uuid. */
export type Payin = Link & { readonly payin: PayinTerms }

/** Tells whether a link is a payin. */
export function isPayin(link: Link): link is Payin {
  return link.payin !== undefined
}

/** The tax on a payin: a tenth of the amount, rounded to cents (docs/payments-api.md, section 1, rule 3). */
export function gstAmount({ request, payin }: Link): Decimal {
  const { units, scale } = request.amount
  return payin?.gst === true ? roundDecimal({ units, scale: scale + 1 }, 2) : { units: 0n, scale: 0 }
}

/** What the payer owes: the amount, and the tax of a payin that has one. */
export function owedTotal(link: Link): Decimal {
  return addDecimals(link.request.amount, gstAmount(link))
}

/** What a reader of the link is told: a link without a payment is pending until it lapses. */
export function statusOf(link: Link): PaymentStatus {
  return link.payment?.status ?? (link.lapsed ? 'expired' : 'pending')
}

/** The methods that the hosted page offers: the preselected one, or all of the currency that take the amount. */
export function offeredMethods(link: Link): Method[] {
  const { methodCode, currency, amount } = link.request
  if (methodCode !== null) return methodsOf([currency]).filter((method) => method.code === methodCode)
  return methodsOf([currency]).filter((method) => accepts(method, amount))
}

/** The method of the payment, or the preselected one before the customer has begun. */
export function methodOf(link: Link): Method | undefined {
  const { methodCode } = link.request
  return link.payment?.method ?? (methodCode === null ? undefined : methodByCode(methodCode))
}

/** Tells whether the customer can start to pay now: for the first time, or again after a failure. */
export function isPayable(link: Link, now: Date): boolean {
  const open = !link.lapsed && now < link.expiresAt
  if (link.payin !== undefined) return open && awaitsPayer(link)
  return open && (link.payment === undefined || link.payment.status === 'failed')
}

/** Tells whether a pending payin waits for nothing but the payer's money. */
export function awaitsPayer(link: Link): boolean {
  return link.payin !== undefined && link.payment?.status === 'pending' && !awaitsPrompt(link) && !awaits3ds(link)
}

/** Tells whether a prompt on the customer's handset waits for an answer. */
export function awaitsPrompt(link: Link): boolean {
  return link.payment?.status === 'pending' && link.payment.method.kind === 'mobile_money'
}

/** Tells whether the customer has to complete a 3DS step. */
export function awaits3ds(link: Link): boolean {
  return link.payment?.status === 'pending' && link.payment.payCode?.['3ds_url'] !== undefined
}
