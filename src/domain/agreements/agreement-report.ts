/** The statuses that the payments API documents (docs/payments-api.md, section 2.1), with its spelling. */
export const AGREEMENT_STATUSES = ['created', 'active', 'suspended', 'cancelled', 'failed'] as const

/** The statuses that a merchant may request (gap sheet, section 2). */
export const REQUESTED_AGREEMENT_STATUSES = ['active', 'suspended', 'cancelled'] as const

/** The purpose of an agreement, with the spelling of requests (docs/payments-api.md, section 2.1). */
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

/** How often an agreement may be charged (docs/payments-api.md, section 2.2). */
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

/** How the amounts of an agreement are determined (docs/payments-api.md, section 2.2). */
export const AMOUNT_RULES = ['VARIABLE', 'FIXED', 'USAGE_BASED', 'BALLOON'] as const

/** Types of identifiers of a payer other than an account number (docs/payments-api.md, section 2.3). */
export const PAY_ID_TYPES = ['EMAIL', 'PHONE', 'ABN'] as const

export type AgreementStatus = (typeof AGREEMENT_STATUSES)[number]
export type RequestedAgreementStatus = (typeof REQUESTED_AGREEMENT_STATUSES)[number]
export type AgreementPurpose = (typeof AGREEMENT_PURPOSES)[number]
export type AgreementFrequency = (typeof AGREEMENT_FREQUENCIES)[number]
export type AmountRule = (typeof AMOUNT_RULES)[number]
export type PayIdType = (typeof PAY_ID_TYPES)[number]

/**
 * What the payments API reports about one agreement, in a callback or in a response, in our terms. Fields that the body omits, or that
 * cannot be parsed, are null.
 */
export type AgreementReport = {
  /** The upstream `payment_agreement_id`. */
  readonly id: string
  /** The payments API's numeric id as digits, which amendments and status changes refer to. */
  readonly serviceId: string | null
  readonly clientTransactionId: string | null
  readonly externalId: string | null
  readonly statusRaw: string
  readonly status: AgreementStatus | null
  readonly description: string | null
  /** Maximum amount per payment in AUD, as plain digits. */
  readonly limit: string | null
  readonly purposeRaw: string | null
  readonly purpose: AgreementPurpose | null
  readonly amountRule: AmountRule | null
  readonly frequencyRaw: string | null
  readonly frequency: AgreementFrequency | null
  /** `YYYY-MM-DD`, a day in UTC. */
  readonly startDate: string | null
  /** ISO 8601 instant in UTC with milliseconds. */
  readonly createdAt: string | null
  readonly payer: AgreementPayer
}

/** The debited payer. Account numbers and aliases were masked before: only their ends are known. */
export type AgreementPayer = {
  readonly name: string | null
  readonly bsb: string | null
  readonly accountNumberMasked: string | null
  readonly payIdMasked: string | null
  readonly payIdType: PayIdType | null
}
