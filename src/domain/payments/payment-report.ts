import type { PaymentStatus } from './payment-status.ts'
import type { RequestedRefund } from './refund.ts'

/**
 * The content of a webhook, or of the response to a read, about one payment, in the types of this project. Fields that the body omits, or
 * that are unreadable, are null.
 */
export type PaymentReport = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** The upstream link uuid, if the body contains one besides the payment's. */
  readonly linkId: string | null
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
  readonly payer: Payer
  /** The reason of its latest refund; it is compared, and not stored. */
  readonly refundDescription?: string | null
  /** The refund whose request it answers. */
  readonly requestedRefund?: RequestedRefund
}

/** Everything about a payment except its status and its payer. Decimals are plain digits. */
export type PaymentDetails = {
  readonly currency: string | null
  readonly amount: string | null
  readonly total: string | null
  readonly paid: string | null
  readonly refunded: string | null
  readonly refundable: boolean | null
  readonly reference: string | null
  /** `payment_method` as received: a method code, or a short word such as `card`. */
  readonly methodRaw: string | null
  readonly card: CardDetails | null
  /** URL at which the customer completes 3-D Secure. */
  readonly threeDsUrl: string | null
  readonly failureCode: string | null
  readonly failureMessage: string | null
  /** The data that the customer needs to pay a direct payin, under the payments API's own names. */
  readonly instructions: Readonly<Record<string, unknown>> | null
  /** ISO 8601 instants in UTC with milliseconds. */
  readonly expiresAt: string | null
  readonly createdAt: string | null
}

export type CardDetails = {
  readonly brand: string | null
  readonly type: string | null
  readonly last4: string | null
  readonly countryCode: string | null
}

/** The payer: stored separately, so that it can be protected, and erased, independently. */
export type Payer = { readonly name: string | null; readonly email: string | null }
