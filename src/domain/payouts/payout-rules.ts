import { normaliseName } from '../contacts/normalise-contact.ts'
import {
  emailProblem,
  personNameProblem,
  present,
  problem,
  TEXT,
  textProblem,
  type Problem,
  keyProblem,
} from '../field-problems.ts'
import { type MethodRequirements, limitProblem, methodFieldProblems, methodProblem } from '../methods/method-rules.ts'
import { amountProblem, sumDecimals } from '../money/money.ts'
import type { PayoutReport } from './payout-report.ts'
import { normaliseV1Transaction, v1TransactionProblems } from './v1-payout-rules.ts'
import { V1_METHOD_CODE } from './v1-payout.ts'

/** A request for a batch of payouts. */
export type PayoutRequest = {
  readonly idempotencyKey: string
  readonly currency: string
  readonly methodCode: string
  readonly description: string
  readonly externalId?: string | null | undefined
  readonly scheduledAt?: Date | null | undefined
  /** Whether it is tried again while funds are missing; of v1 payouts alone. */
  readonly retry?: boolean | null | undefined
  readonly transactions: readonly PayoutTransactionRequest[]
  readonly site?: string | null | undefined
}

export type PayoutTransactionRequest = {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  /** Plain digits, in the currency of the batch. */
  readonly amount: string
  readonly externalId?: string | null | undefined
  readonly methodFields: Readonly<Record<string, unknown>>
}

/** Returns the report about a payout that was just requested, with what it omits taken from the request. */
export function reportAsRequested(report: PayoutReport, request: PayoutRequest): PayoutReport {
  return {
    ...report,
    currency: report.currency ?? request.currency,
    totalAmount: report.totalAmount ?? sumDecimals(request.transactions.map(({ amount }) => amount)),
    methodCode: report.methodCode ?? request.methodCode,
    description: report.description ?? request.description,
    externalId: report.externalId ?? request.externalId ?? null,
    scheduledAt: report.scheduledAt ?? request.scheduledAt?.toISOString() ?? null,
  }
}

/** Returns the request in the form in which it is checked and sent: names and e-mail addresses without surrounding spaces. */
export function normalisePayoutRequest(request: PayoutRequest): PayoutRequest {
  const transactions = request.transactions.map((transaction) => ({
    ...transaction,
    firstName: normaliseName(transaction.firstName),
    lastName: normaliseName(transaction.lastName),
    email: transaction.email.trim(),
  }))
  return { ...request, transactions: isV1(request) ? transactions.map(normaliseV1Transaction) : transactions }
}

/** Returns whether a payout is asked for by the v1 method. */
export function isV1({ methodCode }: Pick<PayoutRequest, 'methodCode'>): boolean {
  return methodCode === V1_METHOD_CODE
}

/** The payments API documents a maximum of 90 in one place of v2 and none in the other; 90 is safe in both. */
const DESCRIPTION = { shortest: 5, longest: 90 }
const V1_DESCRIPTION = { shortest: 5, longest: 140 }

/** Our own limit: the payments API documents none, and one request must be completed in time. */
export const MOST_TRANSACTIONS = 500

/**
 * Returns all problems of a request for payouts, field by field; empty if it may be sent. The requirements of the method are checked as far
 * as they are known. Source: gap sheet, sections 17 and 18.
 */
export function payoutRequestProblems(
  request: PayoutRequest,
  requirements: MethodRequirements | null,
  now: Date,
): Problem[] {
  const { externalId, scheduledAt, transactions } = request
  return present([
    keyProblem(request.idempotencyKey),
    problem(methodProblem(request.methodCode, request.currency, requirements), ['methodCode']),
    textProblem(request.description, isV1(request) ? V1_DESCRIPTION : DESCRIPTION, ['description']),
    externalId == null ? null : textProblem(externalId, TEXT, ['externalId']),
    scheduledAt == null || scheduledAt.getTime() > now.getTime()
      ? null
      : problem('must lie in the future', ['scheduledAt']),
    request.retry == null || isV1(request) ? null : problem(`is for ${V1_METHOD_CODE} alone`, ['retry']),
    ...(transactions.length === 0 || transactions.length > MOST_TRANSACTIONS
      ? [problem(`must have 1 to ${MOST_TRANSACTIONS} entries`, ['transactions'])]
      : transactions.flatMap((one, index) => transactionProblems(request, one, { index, requirements }))),
  ])
}

function transactionProblems(
  request: PayoutRequest,
  transaction: PayoutTransactionRequest,
  { index, requirements }: { index: number; requirements: MethodRequirements | null },
): (Problem | null)[] {
  const path = ['transactions', String(index)]
  const amount = { value: transaction.amount, currency: request.currency }
  const { externalId } = transaction
  const others = [
    problem(emailProblem(transaction.email), [...path, 'email']),
    problem(amountProblem(amount) ?? limitProblem(amount, requirements), [...path, 'amount']),
  ]
  if (isV1(request)) return [...others, ...v1TransactionProblems(transaction, path)]
  return [
    problem(personNameProblem(transaction.firstName), [...path, 'firstName']),
    problem(personNameProblem(transaction.lastName), [...path, 'lastName']),
    ...others,
    externalId == null ? null : textProblem(externalId, TEXT, [...path, 'externalId']),
    ...methodFieldProblems(transaction.methodFields, requirements, [...path, 'methodFields']),
  ]
}
