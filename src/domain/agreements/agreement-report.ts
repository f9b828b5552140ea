/** The statuses that the payments API documents (docs/payments-api.md, section 2.1), in its own spelling. */
export const AGREEMENT_STATUSES = ['created', 'active', 'suspended', 'cancelled', 'failed'] as const

/** The statuses that a merchant may request (gap sheet, section 2). */
export const REQUESTED_AGREEMENT_STATUSES = ['active', 'suspended', 'cancelled'] as const

/** The purposes of an agreement, as spelled in a request (docs/payments-api.md, section 2.1). */
export const AGREEMENT_PURPOSES = [
  'MORTGAGE',
  'UTILITY',
  'LOAN',
  'DEPENDANT_SUPPORT',
  'GAMBLING',
  'RETAIL',
  'SALARY',
  'PERSONAL',
  'GOVERNMENT',
  'PENSION',
  'TAX',
  'OTHER_SERVICE',
] as const

/** The frequencies at which an agreement may be charged (docs/payments-api.md, section 2.2). */
export const AGREEMENT_FREQUENCIES = [
  'ADHOC',
  'DAILY',
  'FORTNIGHTLY',
  'INTRADAY',
  'SEMIANNUAL',
  'MONTHLY',
  'QUARTERLY',
  'WEEKLY',
  'ANNUAL',
] as const

/** The rules for the amounts of an agreement (docs/payments-api.md, section 2.2). */
export const AMOUNT_RULES = ['VARIABLE', 'FIXED', 'USAGE_BASED', 'BALLOON'] as const

/** The types of alias that identify a payer without an account number (docs/payments-api.md, section 2.3). */
export const PAY_ID_TYPES = ['EMAIL', 'PHONE', 'ABN'] as const

export type PaymentAgreementStatus = (typeof AGREEMENT_STATUSES)[number]
export type RequestedAgreementStatus = (typeof REQUESTED_AGREEMENT_STATUSES)[number]
export type PaymentAgreementPurpose = (typeof AGREEMENT_PURPOSES)[number]
export type PaymentAgreementFrequency = (typeof AGREEMENT_FREQUENCIES)[number]
export type AmountRule = (typeof AMOUNT_RULES)[number]
export type PaymentPayIdType = (typeof PAY_ID_TYPES)[number]

/**
 * The content of a callback or a response of the payments API about one payment agreement, in the types of this project. Fields that the
 * body omits, or that are unreadable, are null.
 */
export type AgreementReport = {
  /** The upstream `payment_agreement_id`. */
  readonly id: string
  /** The payments API's numeric id as digits; amendments and status changes use it to address the agreement. */
  readonly serviceId: string | null
  readonly clientTransactionId: string | null
  readonly reference: string | null
  readonly statusRaw: string
  readonly status: PaymentAgreementStatus | null
  readonly description: string | null
  /** Maximum amount per payment in AUD, as plain digits. */
  readonly limit: string | null
  readonly purposeRaw: string | null
  readonly purpose: PaymentAgreementPurpose | null
  readonly amountRule: AmountRule | null
  readonly frequencyRaw: string | null
  readonly frequency: PaymentAgreementFrequency | null
  /** `YYYY-MM-DD`, a day in UTC. */
  readonly startDate: string | null
  /** ISO 8601 instant in UTC with milliseconds. */
  readonly createdAt: string | null
  /**
   * What the payments API answered to the last amendment, in its own word; null in other reports. Undefined for agreements that were recorded
   * before it was read.
   */
  readonly amendmentStatusRaw?: string | null | undefined
  readonly payer: PaymentAgreementPayer
}

/** The debited payer. Account numbers and aliases are already masked: only their ends are known. */
export type PaymentAgreementPayer = {
  readonly name: string | null
  readonly bsb: string | null
  readonly accountNumberMasked: string | null
  readonly payIdMasked: string | null
  readonly payIdType: PaymentPayIdType | null
}
