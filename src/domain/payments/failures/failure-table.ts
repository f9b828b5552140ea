/** Where the cause of a failure lies. RISK is shown only to callers with the right to see it. */
export type FailureCategory =
  | 'CUSTOMER_ACTION'
  | 'CARD_DETAILS'
  | 'FUNDS'
  | 'AUTHENTICATION'
  | 'AMOUNT'
  | 'RISK'
  | 'ISSUER'
  | 'MERCHANT_SETUP'
  | 'TECHNICAL'
  | 'UNKNOWN'

/** The change with which a retry makes sense. */
export type RetryAdvice = 'SAME_METHOD' | 'OTHER_METHOD' | 'LATER' | 'LOWER_AMOUNT' | 'HIGHER_AMOUNT' | 'DO_NOT_RETRY'

export type FailureFacts = {
  readonly category: FailureCategory
  readonly retry: RetryAdvice
  /** Time after the failure, in milliseconds, after which a retry makes sense; absent if it makes sense at once. */
  readonly notBefore?: number
  /** Shown as GENERIC_DECLINED to callers who may not see that the card or the payment is suspicious. */
  readonly masked?: true
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * The failure codes that the payments API documents, with its spelling (docs/payments-api.md, section 7.2).
 *
 * `transaction_is_blocked` is not masked: the document does not say who blocked the payment or why, and the payer must learn that paid
 * money is returned. `processing_error` is to be retried "later", without a figure; we chose a minute, also for an issuer that cannot be
 * reached. A payment that may have been made already is not retried.
 */
const TABLE = {
  account_closed: { category: 'CUSTOMER_ACTION', retry: 'OTHER_METHOD' },
  amount_invalid: { category: 'AMOUNT', retry: 'LOWER_AMOUNT' },
  amount_too_large: { category: 'AMOUNT', retry: 'LOWER_AMOUNT' },
  amount_too_small: { category: 'AMOUNT', retry: 'HIGHER_AMOUNT' },
  authentication_expired: { category: 'AUTHENTICATION', retry: 'SAME_METHOD' },
  authentication_failed: { category: 'AUTHENTICATION', retry: 'OTHER_METHOD' },
  authentication_required: { category: 'AUTHENTICATION', retry: 'SAME_METHOD' },
  capture_not_authorised: { category: 'MERCHANT_SETUP', retry: 'DO_NOT_RETRY' },
  card_decline_rate_limit_exceeded: { category: 'ISSUER', retry: 'LATER', notBefore: DAY },
  card_expired: { category: 'CARD_DETAILS', retry: 'OTHER_METHOD' },
  card_lost: { category: 'RISK', retry: 'OTHER_METHOD', masked: true },
  card_not_supported: { category: 'ISSUER', retry: 'OTHER_METHOD' },
  card_number_incorrect: { category: 'CARD_DETAILS', retry: 'SAME_METHOD' },
  card_restricted: { category: 'ISSUER', retry: 'OTHER_METHOD' },
  card_stolen: { category: 'RISK', retry: 'DO_NOT_RETRY', masked: true },
  card_velocity_exceeded: { category: 'FUNDS', retry: 'OTHER_METHOD' },
  currency_not_supported: { category: 'ISSUER', retry: 'OTHER_METHOD' },
  customer_canceled: { category: 'CUSTOMER_ACTION', retry: 'SAME_METHOD' },
  cvc_incorrect: { category: 'CARD_DETAILS', retry: 'SAME_METHOD' },
  debit_not_authorised: { category: 'CUSTOMER_ACTION', retry: 'DO_NOT_RETRY' },
  expiry_month_invalid: { category: 'CARD_DETAILS', retry: 'SAME_METHOD' },
  expiry_year_invalid: { category: 'CARD_DETAILS', retry: 'SAME_METHOD' },
  fraudulent: { category: 'RISK', retry: 'DO_NOT_RETRY', masked: true },
  generic_declined: { category: 'UNKNOWN', retry: 'OTHER_METHOD' },
  insufficient_funds: { category: 'FUNDS', retry: 'OTHER_METHOD' },
  issuer_declined: { category: 'ISSUER', retry: 'OTHER_METHOD' },
  issuer_not_available: { category: 'ISSUER', retry: 'LATER', notBefore: MINUTE },
  pin_required: { category: 'AUTHENTICATION', retry: 'OTHER_METHOD' },
  pin_try_exceeded: { category: 'AUTHENTICATION', retry: 'OTHER_METHOD' },
  processing_error: { category: 'TECHNICAL', retry: 'LATER', notBefore: MINUTE },
  return_url_invalid: { category: 'MERCHANT_SETUP', retry: 'DO_NOT_RETRY' },
  transaction_is_blocked: { category: 'UNKNOWN', retry: 'DO_NOT_RETRY' },
  transaction_duplicated: { category: 'CUSTOMER_ACTION', retry: 'DO_NOT_RETRY' },
  withdrawal_count_limit_exceeded: { category: 'FUNDS', retry: 'OTHER_METHOD' },
} as const satisfies Readonly<Record<string, FailureFacts>>

type WireCode = keyof typeof TABLE

/** A documented code in the contract's spelling, or UNRECOGNISED for any other. */
export type FailureCode = Uppercase<WireCode> | 'UNRECOGNISED'

export type DescribedFailure = FailureFacts & { readonly code: FailureCode }

const UNRECOGNISED: DescribedFailure = { code: 'UNRECOGNISED', category: 'UNKNOWN', retry: 'OTHER_METHOD' }

/** The description of a masked decline. */
export const GENERIC_DECLINED: DescribedFailure = { code: 'GENERIC_DECLINED', ...TABLE.generic_declined }

const byWireCode: ReadonlyMap<string, DescribedFailure> = new Map(
  Object.entries<FailureFacts>(TABLE).map(([raw, facts]) => [
    raw,
    { ...facts, code: raw.toUpperCase() as Uppercase<WireCode> },
  ]),
)

/** Returns the description of a failure code with the payments API's spelling; UNRECOGNISED for a code that this version does not know. */
export function recogniseFailure(codeRaw: string): DescribedFailure {
  return byWireCode.get(codeRaw) ?? UNRECOGNISED
}
