import type { Decimal } from '../values/decimal.ts'
import type { FullTarget } from '../values/request-fields.ts'
import type { Timer } from './clock.ts'
import type { OutgoingWebhook } from './webhook-sender.ts'

/** The statuses of a payment agreement (docs/payments-api.md, section 2.1). */
export const AGREEMENT_STATUSES = ['created', 'active', 'suspended', 'cancelled', 'failed'] as const

export type AgreementStatus = (typeof AGREEMENT_STATUSES)[number]

/** The agreement types as a request spells them (docs/payments-api.md, section 2.1). */
export const AGREEMENT_TYPES = [
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

/** The keys of `agreement_details`, of which a request has exactly one (docs/payments-api.md, section 2.2). */
export const DETAIL_WRAPPERS = [
  'variable_agreement_details_obj',
  'fixed_agreement_details_obj',
  'usage_bases_agreement_details_obj',
  'balloon_agreement_details_obj',
] as const

export const FREQUENCIES = [
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

export const PAY_ID_TYPES = ['EMAIL', 'PHONE', 'ABN'] as const

export type AgreementDetails = {
  readonly wrapper: (typeof DETAIL_WRAPPERS)[number]
  readonly startDate: string
  readonly frequency: (typeof FREQUENCIES)[number]
}

/** At least one of the two ways to identify the payer is set. */
export type Payer = {
  readonly name: string
  readonly bankAccount: { readonly bsb: string; readonly accountNumber: string } | undefined
  readonly payId: { readonly id: string; readonly type: (typeof PAY_ID_TYPES)[number] } | undefined
}

/** The fields that an amendment may change. */
export type AgreementTerms = {
  readonly limitAmount: Decimal
  readonly details: AgreementDetails
  readonly target: FullTarget
}

/** The body of an agreement creation after validation. */
export type AgreementRequest = AgreementTerms & {
  readonly clientTransactionId: string
  readonly description: string
  readonly type: (typeof AGREEMENT_TYPES)[number]
  readonly payer: Payer
  readonly externalId: string | undefined
}

/** A payment agreement with the sandbox's internal state. */
export type Agreement = {
  readonly id: number
  readonly siteId: string
  readonly request: AgreementRequest
  readonly createdAt: Date
  readonly history: { readonly status: AgreementStatus; readonly at: Date; readonly silent: boolean }[]
  terms: AgreementTerms
  status: AgreementStatus
  /** Timer for the payer's response; undefined when no response is pending. */
  step: Timer | undefined
  held: OutgoingWebhook[] | undefined
}

/** The statuses that a merchant may request (gap sheet, section 15). */
export const REQUESTABLE_STATUSES = ['active', 'cancelled', 'suspended'] as const
