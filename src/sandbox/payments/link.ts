import type { ExactJson } from '../../lib/exact-json.ts'
import { accepts, methodByCode, methodsOf } from '../methods/methods.ts'
import type { Method } from '../methods/methods.ts'
import type { Timer } from '../state/clock.ts'
import { addDecimals, roundDecimal } from '../values/decimal.ts'
import type { Decimal } from '../values/decimal.ts'
import type { OutgoingWebhook } from '../webhooks/webhook-sender.ts'
import type { PaymentStatus } from './status.ts'

/** The URL for the webhooks of a link, and the Authorization value that they carry. */
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

/** The requested and the completed refund amount. */
export type Refund = {
  readonly description: string
  readonly requested: Decimal
  refunded: Decimal
}

/** One entry of a payment's history. */
export type StatusChange = { readonly status: PaymentStatus; readonly at: Date; readonly silent: boolean }

/** Created when the customer starts to pay; a second attempt after a failure is the same payment. */
export type Payment = {
  readonly uuid: string
  readonly startedAt: Date
  readonly history: StatusChange[]
  method: Method
  status: PaymentStatus
  payCode: Readonly<Record<string, string>> | null
  token: string
  /** The paid amount, when a simulation named one. */
  paid: Decimal | undefined
  refund: Refund | undefined
}

/** The fields of a v2 payin beyond those that it shares with a link (gap sheet, section 9). */
export type PayinTerms = {
  readonly name: string
  /** Adds ten per cent tax to the amount. */
  readonly gst: boolean
  readonly externalId: string | null
  readonly metadata: ExactJson | undefined
}

/** The fields of a v1 gateway payment beyond those that it shares with a link (gap sheet, section 4). */
export type GatewayOrder = { readonly paymentId: number; readonly orderId: string }

/**
 * A payment link with the sandbox's internal state. Payins and gateway payments are links too: they share the statuses, and
 * differ in creation and webhook format.
 */
export type Link = {
  readonly uuid: string
  readonly siteId: string
  readonly request: LinkRequest
  /** Set only for a payin. */
  readonly payin: PayinTerms | undefined
  /** Set only for a gateway payment. */
  readonly gateway: GatewayOrder | undefined
  readonly createdAt: Date
  readonly expiresAt: Date
  payment: Payment | undefined
  /** The page no longer accepts payments: the link expired, or the customer let it expire. */
  lapsed: boolean
  /** Timer of the next automatic step, if one is planned. */
  step: Timer | undefined
  /** Webhooks held back for a `reordered` fault, while one is armed. */
  held: OutgoingWebhook[] | undefined
}

/** A v2 payin; its payment exists from the start and has the same uuid. */
export type Payin = Link & { readonly payin: PayinTerms }

/** Whether a link is a payin. */
export function isPayin(link: Link): link is Payin {
  return link.payin !== undefined
}

/** The tax on a payin: one tenth of the amount, rounded to cents (docs/payments-api.md, section 1, rule 3). */
export function gstAmount({ request, payin }: Link): Decimal {
  const { units, scale } = request.amount
  return payin?.gst === true ? roundDecimal({ units, scale: scale + 1 }, 2) : { units: 0n, scale: 0 }
}

/** The amount that the payer has to pay, including the tax of a payin if it has one. */
export function owedTotal(link: Link): Decimal {
  return addDecimals(link.request.amount, gstAmount(link))
}

/** The status of a link; a link without a payment is pending until it expires. */
export function statusOf(link: Link): PaymentStatus {
  return link.payment?.status ?? (link.lapsed ? 'expired' : 'pending')
}

/** The methods that the hosted page offers: the preselected one, or all methods of the currency that accept the amount. */
export function offeredMethods(link: Link): Method[] {
  const { methodCode, currency, amount } = link.request
  if (methodCode !== null) return methodsOf([currency]).filter((method) => method.code === methodCode)
  return methodsOf([currency]).filter((method) => accepts(method, amount))
}

/** The method of the payment; before the customer starts to pay, the preselected one. */
export function methodOf(link: Link): Method | undefined {
  const { methodCode } = link.request
  return link.payment?.method ?? (methodCode === null ? undefined : methodByCode(methodCode))
}

/** Whether the customer can start to pay now: for the first time, or again after a failure. */
export function isPayable(link: Link, now: Date): boolean {
  const open = !link.lapsed && now < link.expiresAt
  if (link.payin !== undefined) return open && awaitsPayer(link)
  return open && (link.payment === undefined || link.payment.status === 'failed')
}

/** Whether a pending payin only needs the payer's money. */
export function awaitsPayer(link: Link): boolean {
  return link.payin !== undefined && link.payment?.status === 'pending' && !awaitsPrompt(link) && !awaits3ds(link)
}

/** Whether a prompt on the customer's handset is open. */
export function awaitsPrompt(link: Link): boolean {
  return link.payment?.status === 'pending' && link.payment.method.kind === 'mobile_money'
}

/** Whether the customer has to complete a 3DS step. */
export function awaits3ds(link: Link): boolean {
  return link.payment?.status === 'pending' && link.payment.payCode?.['3ds_url'] !== undefined
}

/** Returns the code that the customer has to scan; undefined if there is none. */
export function codeToScan(link: Link): string | undefined {
  return link.payment?.status === 'pending' ? link.payment.payCode?.['qr_string'] : undefined
}
