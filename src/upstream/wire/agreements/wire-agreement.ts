import { z } from 'zod'
import {
  AGREEMENT_FREQUENCIES,
  AGREEMENT_PURPOSES,
  AGREEMENT_STATUSES,
  type AgreementPayer,
  type AgreementReport,
  type AmountRule,
  PAY_ID_TYPES,
} from '../../../domain/agreements/agreement-report.ts'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { dayFromWire } from '../values/day.ts'
import { maskedAlias, maskedNumber } from '../values/mask.ts'
import { decimalFromWire } from '../values/readers.ts'
import {
  decimal,
  instant,
  isRecord,
  lenient,
  section,
  status,
  text,
  textFrom,
  uuid,
  unwrapped,
} from '../values/wire-fields.ts'

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

const terms = section({ start_date: lenient(dayFromWire), frequency: text(WORD_LENGTH) })

const agreement = z.object({
  payment_agreement_id: uuid,
  id: lenient(digitsFrom),
  client_transaction_id: text(TRANSACTION_ID_LENGTH),
  external_id: text(REFERENCE_LENGTH),
  status,
  description: text(DESCRIPTION_LENGTH),
  limit_amount: decimal,
  payment_agreement_type: text(WORD_LENGTH),
  agreement_details: section({
    variable_agreement_details_obj: terms,
    fixed_agreement_details_obj: terms,
    usage_bases_agreement_details_obj: terms,
    balloon_agreement_details_obj: terms,
  }),
  created_at: instant,
  payer_details: section({
    name: text(NAME_LENGTH),
    bank_account_details: section({
      bsb: lenient((json) => (typeof json === 'string' && /^\d{3}-?\d{3}$/.test(json) ? json : null)),
      account_number: lenient(maskedNumber),
    }),
    pay_id_details: section({ pay_id: lenient(maskedAlias), pay_id_type: text(WORD_LENGTH) }),
  }),
})

type Agreement = z.output<typeof agreement>

/**
 * Reads one agreement (docs/payments-api.md, section 2.1), also inside the wrapper of an amendment. Null without a usable
 * `payment_agreement_id` and status; any other unreadable field is null. Account numbers and aliases are masked here, so that no
 * later code can store them; `authorization_header`, our own secret, is not read.
 */
export function readAgreementReport(json: ExactJson): AgreementReport | null {
  const inner = unwrapped(json, AMENDMENT)
  if (!isRecord(inner)) return null
  const body = agreement.parse(inner)
  if (body.payment_agreement_id === null || body.status === null) return null
  const amountRule = amountRuleOf(inner['agreement_details'])
  const { start_date: startDate, frequency: frequencyRaw } = amountRule === null ? NO_TERMS : termsOf(body, amountRule)
  return {
    id: body.payment_agreement_id,
    serviceId: body.id,
    clientTransactionId: body.client_transaction_id,
    externalId: body.external_id,
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
}: Agreement['payer_details']): AgreementPayer {
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
