import { isDay } from 'payments-subgraph-lib/calendar'
import { tidied } from '../../lib/text.ts'
import {
  normaliseName,
  normalisePhone,
  withoutSpaces,
  emailProblem,
  personNameProblem,
  present,
  problem,
  TEXT,
  textProblem,
  keyProblem,
  type Problem,
} from '../field-problems.ts'
import { amountProblem, type Money } from '../money/money.ts'
import type {
  PaymentAgreementFrequency,
  PaymentAgreementPurpose,
  AmountRule,
  PaymentPayIdType,
  AgreementReport,
} from './agreement-report.ts'
import { decideAgreementRead, type Agreement, type AgreementDecision, type AgreementFacts } from './agreement.ts'

/** The limit, amount rule, frequency and first day of the charges under an agreement. */
type AgreementTerms = {
  readonly limit: Money
  readonly amountRule: AmountRule
  readonly frequency: PaymentAgreementFrequency
  /** `YYYY-MM-DD` */
  readonly startDate: string
}

/** A request for an agreement. */
export type AgreementRequest = AgreementTerms & {
  readonly clientTransactionId: string
  readonly description: string
  readonly purpose: PaymentAgreementPurpose
  readonly payer: AgreementPayerRequest
  readonly reference?: string | null | undefined
  readonly ownerId?: string | null | undefined
  readonly site?: string | null | undefined
}

export type AgreementPayerRequest = {
  readonly name: string
  readonly bankAccount?: { readonly bsb: string; readonly accountNumber: string } | null | undefined
  readonly payId?: { readonly value: string; readonly type: PaymentPayIdType } | null | undefined
}

/** A request to change the terms of an agreement. */
export type AmendmentRequest = AgreementTerms & { readonly idempotencyKey: string; readonly id: string }

/**
 * Returns the request in the form in which it is checked and sent: names, numbers and addresses without superfluous spaces, phone numbers
 * with their country code. A phone number that is already valid is not changed.
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
 * Returns all problems of a request for an agreement, field by field; empty if it may be sent. Source: payments-api.md, sections 2.1 to 2.3
 * and 8.
 */
export function agreementRequestProblems(request: AgreementRequest): Problem[] {
  const { payer, reference, ownerId } = request
  return present([
    textProblem(request.clientTransactionId, CLIENT_TRANSACTION_ID, ['clientTransactionId']),
    ...termProblems(request),
    textProblem(request.description, DESCRIPTION, ['description']),
    problem(personNameProblem(payer.name), ['payer', 'name']),
    ...identityProblems(payer),
    reference == null ? null : textProblem(reference, TEXT, ['reference']),
    ownerId == null ? null : textProblem(ownerId, TEXT, ['ownerId']),
  ])
}

/** Returns all problems of a request for other terms. Source: payments-api.md, section 2.2, and gap sheet, section 14. */
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

/** The payments API writes a year with two digits, so a year of another century would be read as another year. */
function startDateProblem(date: string): string | null {
  if (!isDay(date)) return 'must be a calendar day such as "2030-01-31"'
  return date.startsWith('20') ? null : 'must lie between 2000 and 2099'
}

function identityProblems({ bankAccount, payId }: AgreementPayerRequest): (Problem | null)[] {
  if (bankAccount == null && payId == null) return [problem('must have a bank account or an alias', ['payer'])]
  return [
    ...(bankAccount == null ? [] : accountProblems(bankAccount)),
    payId == null ? null : problem(ALIAS_PROBLEMS[payId.type](payId.value), ['payer', 'payId', 'value']),
  ]
}

/** The payments API documents no length. Australian accounts have up to 10 digits; 20 leave room and still exclude text. */
function accountProblems({ bsb, accountNumber }: { bsb: string; accountNumber: string }): (Problem | null)[] {
  const path = ['payer', 'bankAccount']
  return [
    problem(/^\d{3}-?\d{3}$/.test(bsb) ? null : 'must have six digits, such as "062-000"', [...path, 'bsb']),
    problem(/^\d{1,20}$/.test(accountNumber) ? null : 'must have 1 to 20 digits', [...path, 'accountNumber']),
  ]
}

/** Seven to fifteen digits, as international numbers have, with or without a hyphen after the country code (gap sheet, section 20). */
const PHONE = /^\+(?=(?:-?\d){7,15}$)[1-9]\d{0,2}-?\d+$/

const NORMALISED_ALIASES: Readonly<Record<PaymentPayIdType, (value: string) => string>> = {
  EMAIL: tidied,
  PHONE: (value) => (PHONE.test(tidied(value)) ? tidied(value) : normalisePhone(value, '-')),
  ABN: withoutSpaces,
}

/** For an ABN only the number of digits is checked: the payments API decides whether it exists, and whether test numbers do. */
const ALIAS_PROBLEMS: Readonly<Record<PaymentPayIdType, (value: string) => string | null>> = {
  EMAIL: emailProblem,
  PHONE: (value) => (PHONE.test(value) ? null : 'must be a phone number with its area code, such as "+61-412345678"'),
  ABN: (value) => (/^\d{11}$/.test(value) ? null : 'must have 11 digits'),
}

/**
 * Decides what the response to the creation of an agreement means. It shows the agreement's first state, and may be found much later by a
 * search. If callbacks were applied earlier, it only changes the status `created` or fills in missing facts; a read settles all other
 * differences.
 */
export function decideAgreementCreation(state: Agreement | null, report: AgreementReport): AgreementDecision {
  const asRead = decideAgreementRead(state, report)
  if (state === null) return asRead
  if (namesAnother(state, report)) return { disposition: 'STALE', change: null, provisional: true, confirm: true }
  const { change } = asRead
  if (change?.kind === 'AGREEMENT_STATUS_CHANGED' && state.status === 'created') return asRead
  const facts = filledIn(state, report)
  const fills = keysOf(facts).some((key) => state[key] !== facts[key])
  const { statusRaw, status } = state
  return {
    disposition: fills ? 'APPLIED' : 'NO_CHANGE',
    change: fills ? { kind: 'AGREEMENT_AMENDED', statusRaw, status, facts } : null,
    provisional: null,
    confirm:
      change !== null &&
      (change.statusRaw !== statusRaw || keysOf(facts).some((key) => change.facts[key] !== facts[key])),
  }
}

function namesAnother(state: Agreement, report: AgreementReport): boolean {
  return (
    (state.serviceId ?? report.serviceId) !== (report.serviceId ?? state.serviceId) ||
    (state.clientTransactionId ?? report.clientTransactionId) !==
      (report.clientTransactionId ?? state.clientTransactionId)
  )
}

function filledIn(state: Agreement, said: AgreementReport): AgreementFacts {
  return {
    serviceId: state.serviceId ?? said.serviceId,
    clientTransactionId: state.clientTransactionId ?? said.clientTransactionId,
    reference: state.reference ?? said.reference,
    description: state.description ?? said.description,
    limit: state.limit ?? said.limit,
    purposeRaw: state.purposeRaw ?? said.purposeRaw,
    purpose: state.purposeRaw === null ? said.purpose : state.purpose,
    amountRule: state.amountRule ?? said.amountRule,
    frequencyRaw: state.frequencyRaw ?? said.frequencyRaw,
    frequency: state.frequencyRaw === null ? said.frequency : state.frequency,
    startDate: state.startDate ?? said.startDate,
    createdAt: state.createdAt ?? said.createdAt,
    amendmentStatusRaw: state.amendmentStatusRaw,
  }
}

function keysOf(facts: AgreementFacts): (keyof AgreementFacts)[] {
  return Object.keys(facts) as (keyof AgreementFacts)[]
}
