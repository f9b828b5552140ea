/** The next action of the customer. */
export type NextActionKind = 'OPEN_CHECKOUT' | 'COMPLETE_3DS' | 'WAIT' | 'START_AGAIN' | 'CONTACT_SUPPORT'

/** Category of the cause of a failure. RISK is shown only to callers who may see it. */
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

/** The condition under which a retry makes sense. */
export type PaymentRetryAdvice =
  | 'SAME_METHOD'
  | 'OTHER_METHOD'
  | 'LATER'
  | 'LOWER_AMOUNT'
  | 'HIGHER_AMOUNT'
  | 'DO_NOT_RETRY'

export type FailureFacts = {
  readonly category: FailureCategory
  readonly retry: PaymentRetryAdvice
  /** Time after the failure from which a retry makes sense, in milliseconds; absent if it makes sense immediately. */
  readonly notBefore?: number
  /** Callers who may not see risk get GENERIC_DECLINED instead of this code. */
  readonly masked?: true
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * The failure codes that the payments API documents, in its own spelling (docs/payments-api.md, section 7.2).
 *
 * `transaction_is_blocked` is not masked: the document names neither the party that blocked the payment nor the reason, and the payer must
 * learn that the money is returned. For `processing_error` the document recommends a retry "later" without a number; one minute is our
 * choice, also for an issuer that cannot be reached. A payment that may have been made already is not retried.
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

/** A documented code in the spelling of the GraphQL schema; UNRECOGNISED for any other code. */
export type FailureCode = Uppercase<WireCode> | 'UNRECOGNISED'

export type DescribedFailure = FailureFacts & { readonly code: FailureCode }

const UNRECOGNISED: DescribedFailure = { code: 'UNRECOGNISED', category: 'UNKNOWN', retry: 'OTHER_METHOD' }

/** The description of a decline for callers who may not see its cause. */
export const GENERIC_DECLINED: DescribedFailure = { code: 'GENERIC_DECLINED', ...TABLE.generic_declined }

const byWireCode: ReadonlyMap<string, DescribedFailure> = new Map(
  Object.entries<FailureFacts>(TABLE).map(([raw, facts]) => [
    raw,
    { ...facts, code: raw.toUpperCase() as Uppercase<WireCode> },
  ]),
)

/** Returns the facts of a failure code in the payments API's spelling; UNRECOGNISED for a code that this version does not contain. */
export function recogniseFailure(codeRaw: string): DescribedFailure {
  return byWireCode.get(codeRaw) ?? UNRECOGNISED
}
