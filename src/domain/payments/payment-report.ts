import type { PaymentStatus } from './payment-status.ts'

/**
 * What the payments API says of one payment, in a webhook or in the answer to a read, in our terms. Whatever the body left
 * out, or wrote in a way that cannot be read, is null.
 */
export type PaymentReport = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** The upstream link uuid, where the body names one beside the payment. */
  readonly linkId: string | null
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
  readonly payer: Payer
  /** What was given as the reason of its latest refund; it is compared, and not kept. */
  readonly refundDescription?: string | null
}

/** Everything about a payment but its status and who pays. Decimals are plain digits. */
export type PaymentDetails = {
  readonly currency: string | null
  readonly amount: string | null
  readonly total: string | null
  readonly paid: string | null
  readonly refunded: string | null
  readonly refundable: boolean | null
  readonly reference: string | null
  /** `payment_method` as it came: a method code, or a short word such as `card`. */
  readonly methodRaw: string | null
  readonly card: CardDetails | null
  /** Where the customer completes 3-D Secure. */
  readonly threeDsUrl: string | null
  readonly failureCode: string | null
  readonly failureMessage: string | null
  /** What the customer needs to pay a direct payin, by the payments API's own names. */
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

/** Who pays: kept apart from everything else, so that it can be guarded, and erased, on its own. */
export type Payer = { readonly name: string | null; readonly email: string | null }
