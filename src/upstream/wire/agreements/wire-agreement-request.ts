import { z } from 'zod'
import {
  AGREEMENT_FREQUENCIES,
  AGREEMENT_PURPOSES,
  type AgreementFrequency,
  type AgreementPurpose,
  type AmountRule,
  PAY_ID_TYPES,
  REQUESTED_AGREEMENT_STATUSES,
  type RequestedAgreementStatus,
} from '../../../domain/agreements/agreement-report.ts'
import type { AgreementPayerRequest } from '../../../domain/agreements/agreement-rules.ts'
import { ExactNumber } from '../../../lib/exact-json.ts'
import { dayToWire } from '../values/day.ts'
import {
  amount,
  type Notification,
  notification,
  notificationBody,
  present,
  sentence,
  type RequestBody,
  requestBody,
  boundedText,
} from '../values/request-schema.ts'
import { WRAPPERS } from './wire-agreement.ts'

/** The terms of an agreement. */
export type WireAgreementTerms = {
  /** Maximum amount per payment in AUD, as plain digits. */
  readonly limit: string
  readonly amountRule: AmountRule
  readonly frequency: AgreementFrequency
  /** `YYYY-MM-DD`, a day in UTC of this century. */
  readonly startDate: string
  readonly webhook: Notification
}

/** Input for a new payment agreement (docs/payments-api.md, section 4.1). */
export type WireAgreementRequest = WireAgreementTerms & {
  /** The merchant's own id, unique at the payments API: 1 to 90 characters. */
  readonly clientTransactionId: string
  /** 5 to 140 characters. */
  readonly description: string
  readonly purpose: AgreementPurpose
  /** A bank account, an alias, or both: all that are given are sent (gap sheet, C10). */
  readonly payer: AgreementPayerRequest
  readonly externalId?: string | null | undefined
}

/** New terms of an agreement, identified by the payments API's numeric id. */
export type AgreementAmendment = WireAgreementTerms & { readonly serviceId: string }

export type AgreementStatusRequest = { readonly serviceId: string; readonly status: RequestedAgreementStatus }

const NAME_LENGTH = 255

const day = z.string().transform((value, context) => {
  const onTheWire = dayToWire(value)
  if (onTheWire !== null) return onTheWire
  context.addIssue('must be a day of this century')
  return z.NEVER
})

/** Digits, sent as a JSON number of any length. */
const serviceId = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,19})$/)
  .transform((digits) => new ExactNumber(digits))

const details = z.partialRecord(
  z.enum(WRAPPERS),
  z.strictObject({ start_date: day, frequency: z.enum(AGREEMENT_FREQUENCIES) }),
)

const payer = z
  .strictObject({
    name: z
      .string()
      .max(NAME_LENGTH)
      .regex(/^[\p{L}\p{M}\p{N} ]*[\p{L}\p{M}\p{N}]$/u),
    bank_account_details: z
      .strictObject({
        bsb: z.string().regex(/^\d{3}-?\d{3}$/),
        account_number: z.string().regex(/^[\dA-Za-z -]{1,34}$/),
      })
      .optional(),
    pay_id_details: z.strictObject({ pay_id: boundedText(255), pay_id_type: z.enum(PAY_ID_TYPES) }).optional(),
  })
  .refine(
    (given) => given.bank_account_details !== undefined || given.pay_id_details !== undefined,
    'needs a bank account or an alias',
  )

const creation = z.strictObject({
  client_transaction_id: boundedText(90),
  limit_amount: amount,
  description: sentence(5, 140),
  payment_agreement_type: z.enum(AGREEMENT_PURPOSES),
  agreement_details: details,
  payer_details: payer,
  payment_agreement_notification: notification,
  external_id: boundedText(255).optional(),
})

const amendment = z.strictObject({
  id: serviceId,
  limit_amount: amount,
  agreement_details: details,
  payment_agreement_notification: notification,
})

const statusChange = z.strictObject({ id: serviceId, status: z.enum(REQUESTED_AGREEMENT_STATUSES) })

/** Builds the body of a new agreement; `faults` names the invalid fields instead. Never throws. */
export function toAgreementBody(request: WireAgreementRequest): RequestBody {
  return requestBody(creation, {
    client_transaction_id: request.clientTransactionId,
    description: request.description,
    payment_agreement_type: request.purpose,
    payer_details: payerBody(request.payer),
    external_id: request.externalId,
    ...termsBody(request),
  })
}

/** Builds the body of an amendment (gap sheet, section 14); `faults` names the invalid fields instead. Never throws. */
export function toAmendmentBody(request: AgreementAmendment): RequestBody {
  return requestBody(amendment, { id: request.serviceId, ...termsBody(request) })
}

/** Builds the body of a status change (gap sheet, section 15); `faults` names the invalid fields. Never throws. */
export function toStatusChangeBody({ serviceId: id, status }: AgreementStatusRequest): RequestBody {
  return requestBody(statusChange, { id, status })
}

function termsBody({ limit, amountRule, frequency, startDate, webhook }: WireAgreementTerms): Record<string, unknown> {
  return {
    limit_amount: limit,
    agreement_details: { [WRAPPERS[amountRule]]: { start_date: startDate, frequency } },
    payment_agreement_notification: notificationBody(webhook),
  }
}

function payerBody({ name, bankAccount, payId }: AgreementPayerRequest): Record<string, unknown> {
  return present({
    name,
    bank_account_details: bankAccount && { bsb: bankAccount.bsb, account_number: bankAccount.accountNumber },
    pay_id_details: payId && { pay_id: payId.value, pay_id_type: payId.type },
  })
}
