import { type ExactJson, ExactNumber } from 'payments-subgraph-lib/exact-json'
import { z } from 'zod'
import {
  AGREEMENT_FREQUENCIES,
  AGREEMENT_PURPOSES,
  AGREEMENT_STATUSES,
  type PaymentAgreementPayer,
  type AgreementReport,
  type AmountRule,
  PAY_ID_TYPES,
  type PaymentAgreementFrequency,
  type PaymentAgreementPurpose,
  REQUESTED_AGREEMENT_STATUSES,
  type RequestedAgreementStatus,
} from '../../domain/agreements/agreement-report.ts'
import type { AgreementPayerRequest } from '../../domain/agreements/agreement-rules.ts'
import {
  dayFromWire,
  dayToWire,
  decimalFromWire,
  instantFromWire,
  isRecord,
  maskedAlias,
  maskedNumber,
  recordReader,
  status,
  text,
  textFrom,
  usableUuid,
} from './values/readers.ts'
import {
  type Notification,
  type RequestBody,
  amount,
  boundedText,
  notification,
  notificationBody,
  present,
  requestBody,
  sentence,
  unwrapped,
} from './values/wire-fields.ts'

const TRANSACTION_ID_LENGTH = 90
const DESCRIPTION_LENGTH = 500
const REFERENCE_LENGTH = 255
const NAME_LENGTH = 255
const WORD_LENGTH = 64

/** The key that wraps the details of an agreement depends on its amount rule (docs/payments-api.md, section 2.2). */
export const WRAPPERS = {
  VARIABLE: 'variable_agreement_details_obj',
  FIXED: 'fixed_agreement_details_obj',
  USAGE_BASED: 'usage_bases_agreement_details_obj',
  BALLOON: 'balloon_agreement_details_obj',
} as const satisfies Record<AmountRule, string>

/** The key of the agreement in the answer to an amendment (gap sheet, section 14). */
export const AMENDMENT = 'payment_agreement_amendment'

/** The key of what becomes of an amendment. What its object contains is not shown: only a `status` in it is read (gap sheet, section 14). */
const AMENDMENT_STATUS = 'payment_agreement_amendment_status'

const terms = recordReader({ start_date: dayFromWire, frequency: text(WORD_LENGTH) })

const readAgreement = recordReader({
  payment_agreement_id: usableUuid,
  id: digitsFrom,
  client_transaction_id: text(TRANSACTION_ID_LENGTH),
  external_id: text(REFERENCE_LENGTH),
  status,
  description: text(DESCRIPTION_LENGTH),
  limit_amount: decimalFromWire,
  payment_agreement_type: text(WORD_LENGTH),
  agreement_details: recordReader({
    variable_agreement_details_obj: terms,
    fixed_agreement_details_obj: terms,
    usage_bases_agreement_details_obj: terms,
    balloon_agreement_details_obj: terms,
  }),
  created_at: instantFromWire,
  payer_details: recordReader({
    name: text(NAME_LENGTH),
    bank_account_details: recordReader({
      bsb: (json: unknown) => (typeof json === 'string' && /^\d{3}-?\d{3}$/.test(json) ? json : null),
      account_number: maskedNumber,
    }),
    pay_id_details: recordReader({ pay_id: maskedAlias, pay_id_type: text(WORD_LENGTH) }),
  }),
})

type Agreement = ReturnType<typeof readAgreement>

/**
 * Reads one agreement (docs/payments-api.md, section 2.1), also inside the wrapper of an amendment. Null without a usable
 * `payment_agreement_id` and status; any other unreadable field is null. Account numbers and aliases are masked here, so that no
 * later code can store them; `authorization_header`, our own secret, is not read.
 */
export function readAgreementReport(json: ExactJson): AgreementReport | null {
  const inner = unwrapped(json, AMENDMENT)
  if (!isRecord(inner)) return null
  const body = readAgreement(inner)
  if (body.payment_agreement_id === null || body.status === null) return null
  const amountRule = amountRuleOf(inner['agreement_details'])
  const { start_date: startDate, frequency: frequencyRaw } = amountRule === null ? NO_TERMS : termsOf(body, amountRule)
  return {
    id: body.payment_agreement_id,
    serviceId: body.id,
    clientTransactionId: body.client_transaction_id,
    reference: body.external_id,
    statusRaw: body.status,
    status: oneOf(AGREEMENT_STATUSES, body.status.toLowerCase()),
    description: body.description,
    limit: body.limit_amount,
    purposeRaw: body.payment_agreement_type,
    purpose: oneOf(AGREEMENT_PURPOSES, constantOf(body.payment_agreement_type)),
    amountRule,
    frequencyRaw,
    frequency: oneOf(AGREEMENT_FREQUENCIES, constantOf(frequencyRaw)),
    startDate,
    createdAt: body.created_at,
    amendmentStatusRaw: amendmentStatusOf(json),
    payer: payerOf(body.payer_details),
  }
}

function amendmentStatusOf(json: ExactJson): string | null {
  const told = isRecord(json) ? json[AMENDMENT_STATUS] : null
  return textFrom(isRecord(told) ? told['status'] : told, WORD_LENGTH)
}

const NO_TERMS = { start_date: null, frequency: null }

function termsOf(body: Agreement, rule: AmountRule): Agreement['agreement_details']['fixed_agreement_details_obj'] {
  return body.agreement_details[WRAPPERS[rule]]
}

function amountRuleOf(details: ExactJson | undefined): AmountRule | null {
  if (!isRecord(details)) return null
  const rules = Object.keys(WRAPPERS) as AmountRule[]
  return rules.find((rule) => isRecord(details[WRAPPERS[rule]])) ?? null
}

function payerOf({
  name,
  bank_account_details: account,
  pay_id_details: alias,
}: Agreement['payer_details']): PaymentAgreementPayer {
  return {
    name,
    bsb: account.bsb,
    accountNumberMasked: account.account_number,
    payIdMasked: alias.pay_id,
    payIdType: oneOf(PAY_ID_TYPES, constantOf(alias.pay_id_type)),
  }
}

/** Answers may contain a space where requests have an underscore (docs/payments-api.md, section 2.1, and gap sheet, C18). */
function constantOf(raw: string | null): string | null {
  return raw === null ? null : raw.toUpperCase().replaceAll(/\s+/g, '_')
}

function oneOf<Value extends string>(values: readonly Value[], raw: string | null): Value | null {
  return values.find((value) => value === raw) ?? null
}

/** Returns the digits of an integer, which the payments API writes as a number or as a string (gap sheet, C25). */
function digitsFrom(json: unknown): string | null {
  return /^(\d{1,20})(?:\.0+)?$/.exec(decimalFromWire(json) ?? '')?.[1] ?? null
}

/** The terms of an agreement. */
export type WireAgreementTerms = {
  /** Maximum amount per payment in AUD, as plain digits. */
  readonly limit: string
  readonly amountRule: AmountRule
  readonly frequency: PaymentAgreementFrequency
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
  readonly purpose: PaymentAgreementPurpose
  /** A bank account, an alias, or both: all that are given are sent (gap sheet, C10). */
  readonly payer: AgreementPayerRequest
  readonly reference?: string | null | undefined
}

/** New terms of an agreement, identified by the payments API's numeric id. */
export type AgreementAmendment = WireAgreementTerms & { readonly serviceId: string }

export type AgreementStatusRequest = { readonly serviceId: string; readonly status: RequestedAgreementStatus }

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

const requestDetails = z.partialRecord(
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
  agreement_details: requestDetails,
  payer_details: payer,
  payment_agreement_notification: notification,
  external_id: boundedText(255).optional(),
})

const amendment = z.strictObject({
  id: serviceId,
  limit_amount: amount,
  agreement_details: requestDetails,
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
    external_id: request.reference,
    ...termsBody(request),
  })
}

/** Builds the body of an amendment (gap sheet, section 14); `faults` names the invalid fields instead. Never throws. */
export function toAmendmentBody(request: AgreementAmendment): RequestBody {
  return requestBody(amendment, { id: request.serviceId, ...termsBody(request) })
}

/** Builds the body of a status change (gap sheet, section 15); `faults` names the invalid fields. Never throws. */
export function toStatusChangeBody({ serviceId: id, status: asked }: AgreementStatusRequest): RequestBody {
  return requestBody(statusChange, { id, status: asked })
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
