import type { ExactJson } from 'payments-subgraph-lib/exact-json'
import { accepts, methodByCode, methodsOf, type Method, isZeroDecimal } from '../methods/methods.ts'
import { addDecimals, roundDecimal, type Decimal, compareDecimals, decimal } from '../values/decimal.ts'
import type { WebhookTarget } from '../values/request-fields.ts'
import type { Timer } from './clock.ts'
import type { OutgoingWebhook } from './webhook-sender.ts'

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
type StatusChange = { readonly status: PaymentStatus; readonly at: Date; readonly silent: boolean }

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

/** The statuses of a payment (docs/payments-api.md, section 3.2). */
export const PAYMENT_STATUSES = [
  'pending',
  'authorised',
  'waiting',
  'received',
  'expired',
  'return_pending',
  'return_expired',
  'partially_refunded',
  'return_received',
  'return_rejected',
  'failed',
  'in_dispute',
  'dispute_lost',
] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** The refund statuses. */
export const REFUND_STATUSES: ReadonlySet<PaymentStatus> = new Set([
  'return_pending',
  'return_expired',
  'partially_refunded',
  'return_received',
  'return_rejected',
])

/** Whether a text is one of the statuses. */
export function isPaymentStatus(text: string): text is PaymentStatus {
  return (PAYMENT_STATUSES as readonly string[]).includes(text)
}

/**
 * Whether the payments API itself makes this transition (docs/payments-api.md, section 3.2; gap sheet, section 3). The
 * control endpoints may set any status; this rule applies to customers, refunds and timers.
 */
export function isLegal(from: PaymentStatus, to: PaymentStatus): boolean {
  return (NEXT[from] ?? []).includes(to)
}

/**
 * The state that the hosted page posts to its opener (docs/payments-api.md, sections 3.3 and 6.4); undefined while it is
 * open.
 */
export function pageState(status: PaymentStatus): 'success' | 'failed' | undefined {
  if (status === 'pending' || status === 'authorised') return undefined
  return status === 'failed' || status === 'expired' ? 'failed' : 'success'
}

const NEXT: Partial<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  pending: ['authorised', 'received', 'failed', 'expired'],
  authorised: ['waiting'],
  waiting: ['received', 'return_pending', 'in_dispute'],
  received: ['return_pending', 'in_dispute'],
  failed: ['pending'],
  return_pending: ['return_received', 'partially_refunded', 'return_expired', 'return_rejected'],
  partially_refunded: ['return_pending'],
  return_expired: ['return_pending'],
  return_rejected: ['return_pending'],
  in_dispute: ['dispute_lost', 'received'],
}

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
