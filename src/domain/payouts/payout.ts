import type { MethodKind } from '../methods/method-code.ts'
import type { MethodRequirements } from '../methods/method-field.ts'

/** A payout method of the merchant's account (docs/payments-api.md, section 2.6). */
export type PayoutMethod = {
  /** Opaque: new codes appear without notice. */
  readonly code: string
  /** Upper-case currency code. */
  readonly currency: string
  /** ISO 3166 alpha-2 code; null if the code does not have the usual format. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  readonly kindRaw: string
}

export type PayoutBank = { readonly code: string; readonly name: string; readonly shortName: string | null }

/** The required fields and limits of a payout method, and the banks that it reaches. */
export type PayoutMethodRequirements = MethodRequirements & { readonly banks: readonly PayoutBank[] }

/** The statuses of a batch (gap sheet, section 19), in the payments API's spelling. */
export const PAYOUT_STATUSES = ['created', 'processing', 'scheduled', 'completed', 'expired'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/**
 * The payments API's report about one batch of payouts. Fields that the body omits, or that are unreadable, are null. Amounts are plain
 * digits, instants ISO 8601 in UTC with milliseconds.
 */
export type PayoutReport = {
  /** The upstream uuid. */
  readonly id: string
  readonly statusRaw: string
  readonly status: PayoutStatus | null
  readonly totalAmount: string | null
  readonly currency: string | null
  readonly methodCode: string | null
  readonly description: string | null
  readonly externalId: string | null
  readonly scheduledAt: string | null
  /** As received, with the payments API's prefix. Its end shows the cause, e.g. `_PAYOUT1` for an insufficient balance. */
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly transactions: readonly PayoutTransaction[]
  /** The webhook URL of the batch. If its creation was not answered, the batch is found by this URL. */
  readonly endpointUrl: string | null
}

export type PayoutTransaction = {
  readonly id: string | null
  readonly amount: string | null
  readonly statusRaw: string | null
  /** The payee's name: payer data, to be protected as such. */
  readonly payee: string | null
  readonly errorMessage: string | null
  readonly createdAt: string | null
}
