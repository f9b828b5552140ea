import type { MethodKind } from '../methods/method-code.ts'
import type { MethodRequirements } from '../methods/method-field.ts'

/** A way to pay out that the merchant's account offers (docs/payments-api.md, section 2.6). */
export type PayoutMethod = {
  /** Opaque: new codes appear without notice. */
  readonly code: string
  /** Upper-case currency code. */
  readonly currency: string
  /** ISO 3166 alpha-2 code; null where the code does not follow the usual shape. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  readonly kindRaw: string
}

export type PayoutBank = { readonly code: string; readonly name: string; readonly shortName: string | null }

/** What a payout method asks for, and the banks that it reaches. */
export type PayoutMethodRequirements = MethodRequirements & { readonly banks: readonly PayoutBank[] }

/** The statuses of a batch (gap sheet, section 19), as the payments API spells them. */
export const PAYOUT_STATUSES = ['created', 'processing', 'scheduled', 'completed', 'expired'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/**
 * What the payments API says of one batch of payouts. Whatever the body left out, or wrote in a way that cannot be read, is
 * null. Amounts are plain digits, instants ISO 8601 in UTC with milliseconds.
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
  /** As it came, with the payments API's prefix: its end tells the cause, e.g. `_PAYOUT1` for a balance that does not suffice. */
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly transactions: readonly PayoutTransaction[]
  /** The webhook address that the batch was made with, by which one whose creation was not answered is found again. */
  readonly endpointUrl: string | null
}

export type PayoutTransaction = {
  readonly id: string | null
  readonly amount: string | null
  readonly statusRaw: string | null
  /** The payee's name: payer data, to be guarded as such. */
  readonly payee: string | null
  readonly errorMessage: string | null
  readonly createdAt: string | null
}
