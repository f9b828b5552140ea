import type { MethodKind } from '../methods/method-code.ts'
import type { MethodRequirements } from '../methods/method-rules.ts'

/** The statuses of a batch (gap sheet, section 19), in the payments API's spelling. */
export const PAYOUT_STATUSES = ['created', 'processing', 'scheduled', 'completed', 'expired'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/**
 * The payments API's report about one batch of payouts, in a callback or a response. Fields that the body omits, or that are unreadable,
 * are null. Amounts are plain digits, instants ISO 8601 in UTC with milliseconds.
 */
export type PayoutReport = {
  /** The upstream uuid; of a v1 payout `v1-` and its number. */
  readonly id: string
  readonly statusRaw: string
  readonly status: PayoutStatus | null
  readonly totalAmount: string | null
  /** What came back of it, and how many of its transactions failed: of v1 payouts alone. */
  readonly totalRefund: string | null
  readonly failedTransactions: number | null
  readonly currency: string | null
  readonly methodCode: string | null
  readonly description: string | null
  readonly externalId: string | null
  readonly scheduledAt: string | null
  /** As received, with the payments API's prefix. Its end shows the cause, e.g. `_PAYOUT1` for an insufficient balance. */
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly transactions: readonly PayoutTransaction[]
  /** The payees of the transactions, apart from them: they are stored apart, and can be erased. */
  readonly payees: readonly PayoutPayee[]
  /** The webhook URL of the batch. If its creation was not answered, the batch is found by this URL. */
  readonly endpointUrl: string | null
}

export type PayoutTransaction = {
  /** The upstream uuid; without one, the id of the batch and the place in it, such as `OHXTEF9M.1`. */
  readonly id: string
  readonly amount: string | null
  /** In the payments API's own word, of which one is documented: `settled`. */
  readonly statusRaw: string | null
  readonly errorMessage: string | null
  readonly createdAt: string | null
}

/** Who is paid by a transaction. The account number is already masked: only its end is known. */
export type PayoutPayee = {
  readonly transactionId: string
  readonly name: string | null
  readonly accountNumberMasked: string | null
  /** The PayID, masked as well; of v1 payouts alone. */
  readonly payIdMasked: string | null
  /** Of a v1 payout the bank-state-branch number. */
  readonly bankCode: string | null
}

/** Returns a name with the first letter of each part and a mask of fixed length: `A*** P***`. At most three parts are shown. */
export function maskedName(name: string | null): string | null {
  const parts = name?.split(/\s+/).filter((part) => part !== '') ?? []
  if (parts.length === 0) return null
  return parts
    .slice(0, 3)
    .map(([first = '']) => `${first}***`)
    .join(' ')
}

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
