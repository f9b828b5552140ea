import type { PaymentStatus } from './payment-status.ts'

/**
 * What the payments API reports about one payment, in a webhook or in the response to a read, in our terms. Fields that the body omits, or
 * that cannot be parsed, are null.
 */
export type PaymentReport = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** The upstream link uuid, if the body names one besides the payment. */
  readonly linkId: string | null
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
  readonly payer: Payer
  /** The reason that was given for its latest refund; compared, and not stored. */
  readonly refundDescription?: string | null
}

/** All fields of a payment except its status and payer. Decimals are plain digits. */
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
  /** The page on which the customer completes 3-D Secure. */
  readonly threeDsUrl: string | null
  readonly failureCode: string | null
  readonly failureMessage: string | null
  /** What the customer needs to pay a direct payin, with the payments API's own names. */
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

/** The payer: stored separately, so that it can be protected and erased on its own. */
export type Payer = { readonly name: string | null; readonly email: string | null }
