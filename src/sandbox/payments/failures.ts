import { isZeroDecimal } from '../methods/methods.ts'
import { compareDecimals, decimal, type Decimal } from '../values/decimal.ts'

/** The `pay_code` of a failed payment (docs/payments-api.md, section 7.2). */
export type FailureReason = { error_code: string; error_message: string }

/**
 * One row of the magic table: a payment fails with `code` when the payer's last name is `lastName`, or when the
 * amount is `amount` (`zeroDecimalAmount` in currencies without decimals).
 */
export type MagicFailure = {
  code: string
  message: string
  lastName: string
  amount: string
  zeroDecimalAmount: string
}

const CODES: readonly (readonly [code: string, message: string])[] = [
  ['account_closed', 'The bank account of the customer is closed.'],
  ['amount_invalid', 'The amount is invalid or above what is allowed.'],
  ['amount_too_large', 'The amount is above the maximum. Try a lower one.'],
  ['amount_too_small', 'The amount is below the minimum. Try a higher one.'],
  ['authentication_expired', 'The authorisation of the card has expired.'],
  ['authentication_failed', 'The payment cannot be authorised.'],
  ['authentication_required', 'The card needs strong authentication such as 3DS.'],
  ['capture_not_authorised', 'A payment can only be captured while it is authorised.'],
  ['card_decline_rate_limit_exceeded', 'The card was declined too often. Try again after 24 hours.'],
  ['card_expired', 'The card has expired.'],
  ['card_lost', 'The card was reported lost.'],
  ['card_not_supported', 'The card does not support this kind of purchase.'],
  ['card_number_incorrect', 'The card number is wrong.'],
  ['card_restricted', 'The card cannot be used for this payment.'],
  ['card_stolen', 'The card was reported stolen.'],
  ['card_velocity_exceeded', 'The balance, credit or amount limit of the card is exceeded.'],
  ['currency_not_supported', 'The card does not support this currency.'],
  ['customer_canceled', 'The customer stopped the payment with their bank.'],
  ['cvc_incorrect', 'The security code is wrong.'],
  ['debit_not_authorised', 'The customer told the bank that the debit was not authorised.'],
  ['expiry_month_invalid', 'The expiry month is invalid.'],
  ['expiry_year_invalid', 'The expiry year is invalid.'],
  ['fraudulent', 'The payment is suspected to be fraudulent.'],
  ['generic_declined', 'The payment was declined for an unknown reason.'],
  ['insufficient_funds', 'There are not enough funds.'],
  ['issuer_declined', 'The issuer declined the payment for an unknown reason.'],
  ['issuer_not_available', 'The issuer cannot be reached.'],
  ['pin_required', 'A PIN is needed.'],
  ['pin_try_exceeded', 'The PIN was entered wrongly too often.'],
  ['processing_error', 'The payment could not be processed. Try again later or use another method.'],
  ['return_url_invalid', 'The return URL is invalid.'],
  ['transaction_is_blocked', 'The payment is blocked. Money that was paid is refunded.'],
  ['transaction_duplicated', 'An identical payment was submitted a short while ago.'],
  ['withdrawal_count_limit_exceeded', 'The balance or credit limit of the card is exceeded.'],
]

/**
 * The magic table: the failure codes in the order of docs/payments-api.md, section 7.2. The n-th code belongs to the amount
 * 666 plus n hundredths: 666.01 to 666.34, or 66601 to 66634 in currencies without decimals.
 */
export const MAGIC_FAILURES: readonly MagicFailure[] = CODES.map(([code, message], index) => {
  const hundredths = String(index + 1).padStart(2, '0')
  return { code, message, lastName: code, amount: `666.${hundredths}`, zeroDecimalAmount: `666${hundredths}` }
})

/** A card payment needs a 3DS step when the payer's last name is `lastName`, or its amount is one of the two amounts. */
export const MAGIC_3DS = { lastName: '3ds', amount: '333.33', zeroDecimalAmount: '33333' } as const

/** Returns the failure with this code; `message` replaces the text of the table. */
export function failureReason(code: string, message?: string): FailureReason | undefined {
  const failure = MAGIC_FAILURES.find((row) => row.code === code)
  return failure && { error_code: failure.code, error_message: message ?? failure.message }
}

/** Returns the failure that the magic table selects, if any; the last name takes precedence over the amount. */
export function magicFailure(lastName: string, amount: Decimal, currency: string): FailureReason | undefined {
  const row =
    MAGIC_FAILURES.find((candidate) => candidate.lastName === lastName) ??
    MAGIC_FAILURES.find((candidate) => isAmount(candidate, amount, currency))
  return row && { error_code: row.code, error_message: row.message }
}

/** Whether the magic table requires a 3DS step. */
export function needs3ds(lastName: string, amount: Decimal, currency: string): boolean {
  return lastName === MAGIC_3DS.lastName || isAmount(MAGIC_3DS, amount, currency)
}

function isAmount(row: { amount: string; zeroDecimalAmount: string }, amount: Decimal, currency: string): boolean {
  return compareDecimals(amount, decimal(isZeroDecimal(currency) ? row.zeroDecimalAmount : row.amount)) === 0
}
