import { normaliseName, normalisePhone, withoutSpaces } from '../contacts/normalise-contact.ts'
import { emailProblem, personNameProblem, present, problem, TEXT, textProblem, keyProblem } from '../field-problems.ts'
import type { Problem } from '../field-problems.ts'
import { amountProblem, type Money } from '../money/money.ts'
import type { AgreementFrequency, AgreementPurpose, AmountRule, PayIdType } from './agreement-report.ts'

/** Amounts, frequency and start date of an agreement. */
export type AgreementTerms = {
  readonly limit: Money
  readonly amountRule: AmountRule
  readonly frequency: AgreementFrequency
  /** `YYYY-MM-DD` */
  readonly startDate: string
}

/** The request of a caller for an agreement. */
export type AgreementRequest = AgreementTerms & {
  readonly clientTransactionId: string
  readonly description: string
  readonly purpose: AgreementPurpose
  readonly payer: AgreementPayerRequest
  readonly externalId?: string | null | undefined
  readonly site?: string | null | undefined
}

export type AgreementPayerRequest = {
  readonly name: string
  readonly bankAccount?: { readonly bsb: string; readonly accountNumber: string } | null | undefined
  readonly payId?: { readonly value: string; readonly type: PayIdType } | null | undefined
}

/** The request of a caller to amend the terms. */
export type AmendmentRequest = AgreementTerms & { readonly idempotencyKey: string; readonly id: string }

/**
 * Returns the request as it is checked and sent: names, numbers and addresses without the spaces that people add, phone numbers with their
 * country code. Fields for which the rules accept any spelling are unchanged.
 */
export function normaliseAgreementRequest(request: AgreementRequest): AgreementRequest {
  const { name, bankAccount, payId } = request.payer
  return {
    ...request,
    payer: {
      ...request.payer,
      name: normaliseName(name),
      bankAccount: bankAccount && {
        ...bankAccount,
        bsb: withoutSpaces(bankAccount.bsb),
        accountNumber: withoutSpaces(bankAccount.accountNumber),
      },
      payId: payId && { ...payId, value: NORMALISED_ALIASES[payId.type](payId.value) },
    },
  }
}

const CLIENT_TRANSACTION_ID = { longest: 90 }
const DESCRIPTION = { shortest: 5, longest: 140 }

/**
 * Returns the problems of a request for an agreement, field by field; empty if it may be sent. Source: payments-api.md, sections 2.1 to
 * 2.3 and 8.
 */
export function agreementRequestProblems(request: AgreementRequest): Problem[] {
  const { payer, externalId } = request
  return present([
    textProblem(request.clientTransactionId, CLIENT_TRANSACTION_ID, ['clientTransactionId']),
    ...termProblems(request),
    textProblem(request.description, DESCRIPTION, ['description']),
    problem(personNameProblem(payer.name), ['payer', 'name']),
    ...identityProblems(payer),
    externalId == null ? null : textProblem(externalId, TEXT, ['externalId']),
  ])
}

/** Returns the problems of an amendment, field by field. Source: payments-api.md, section 2.2, and gap sheet, section 14. */
export function amendRequestProblems(request: AmendmentRequest): Problem[] {
  return present([keyProblem(request.idempotencyKey), textProblem(request.id, TEXT, ['id']), ...termProblems(request)])
}

function termProblems({ limit, startDate }: AgreementTerms): (Problem | null)[] {
  return [
    problem(amountProblem(limit), ['limit', 'value']),
    limit.currency === 'AUD' ? null : problem('must be AUD', ['limit', 'currency']),
    problem(startDateProblem(startDate), ['startDate']),
  ]
}

/** On the wire a year has two digits: one outside this century would be read as another year. */
function startDateProblem(date: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !isCalendarDay(date)) return 'must be a calendar day such as "2030-01-31"'
  return date.startsWith('20') ? null : 'must lie between 2000 and 2099'
}

function isCalendarDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}

function identityProblems({ bankAccount, payId }: AgreementPayerRequest): (Problem | null)[] {
  if (bankAccount == null && payId == null) return [problem('must have a bank account or an alias', ['payer'])]
  return [
    ...(bankAccount == null ? [] : accountProblems(bankAccount)),
    payId == null ? null : problem(ALIAS_PROBLEMS[payId.type](payId.value), ['payer', 'payId', 'value']),
  ]
}

/** The payments API specifies no length: Australian accounts have up to 10 digits, and 20 leaves room without allowing text. */
function accountProblems({ bsb, accountNumber }: { bsb: string; accountNumber: string }): (Problem | null)[] {
  const path = ['payer', 'bankAccount']
  return [
    problem(/^\d{3}-?\d{3}$/.test(bsb) ? null : 'must have six digits, such as "062-000"', [...path, 'bsb']),
    problem(/^\d{1,20}$/.test(accountNumber) ? null : 'must have 1 to 20 digits', [...path, 'accountNumber']),
  ]
}

/** Seven to fifteen digits, as in international numbers, with or without the hyphen after the country code (gap sheet, section 20). */
const PHONE = /^\+(?=(?:-?\d){7,15}$)[1-9]\d{0,2}-?\d+$/

const NORMALISED_ALIASES: Readonly<Record<PayIdType, (value: string) => string>> = {
  EMAIL: (value) => value.trim(),
  PHONE: (value) => (PHONE.test(value) ? value : normalisePhone(value, '-')),
  ABN: withoutSpaces,
}

/** Only the digits of an ABN are checked: the payments API decides whether it exists, and whether test numbers are accepted. */
const ALIAS_PROBLEMS: Readonly<Record<PayIdType, (value: string) => string | null>> = {
  EMAIL: emailProblem,
  PHONE: (value) => (PHONE.test(value) ? null : 'must be a phone number with its area code, such as "+61-412345678"'),
  ABN: (value) => (/^\d{11}$/.test(value) ? null : 'must have 11 digits'),
}
