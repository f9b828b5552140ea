import type { Agreement } from '../../domain/agreements/agreement.ts'
import type {
  DocumentRequest,
  PersonRequest,
  PaymentIdentityStatus as KnownStatus,
  PartyType as KnownType,
} from '../../domain/customers/person.ts'
import type { ReplayRefusal } from '../../domain/delivery.ts'
import {
  type MethodRequirements,
  accepts as acceptsWithin,
  type Limits,
  type PayinMethod,
} from '../../domain/methods/payin-method.ts'
import { type Money, sumDecimals } from '../../domain/money/money.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { PayoutPayee, PayoutReport, PayoutTransaction } from '../../domain/payouts/payout-report.ts'
import { isRecorded, type Payout } from '../../domain/payouts/payout.ts'
import type { SitedCustomer } from '../../lookups/find-customers.ts'
import type { MethodRequirementsReader } from '../../lookups/method-requirements.ts'
import type { OperationFailure, PaymentsFieldProblem } from '../../lookups/operation-outcome.ts'
import type { AnswerFreshness } from '../engine/cache-policy.ts'
import { abridged } from '../error-formatter.ts'
import type {
  PaymentIdentityDocumentInput,
  PaymentIdentityStatus,
  PaymentPartyType,
  PaymentPersonInput,
  PaymentsErrorCode,
} from '../generated.ts'
import { whenKnown } from '../models.ts'

type Sources = { readonly requirements: MethodRequirementsReader; readonly freshness: AnswerFreshness }

/** Returns the record of a direct payin method; null for other methods, and if the payments API does not answer. */
export function recordOf(
  method: PayinMethod,
  { requirements, freshness }: Sources,
): MethodRequirements | null | Promise<MethodRequirements | null> {
  return method.usableFor.includes('DIRECT') ? requirements.ofPayin(method, freshness.markStale) : null
}

/** Returns the limits of a method: those in the lists, or if they have none, those in its record. */
export function limitsOf(method: PayinMethod, sources: Sources): Limits | Promise<Limits> {
  if (method.minAmount !== null || method.maxAmount !== null) return method
  return whenKnown(recordOf(method, sources), (record) => record ?? method)
}

/** Returns whether an amount is within the limits of a method; null if the currency differs or no limit is known. */
export function accepts(
  method: PayinMethod,
  amount: Money,
  sources: Sources,
): boolean | null | Promise<boolean | null> {
  if (method.currency !== amount.currency) return null
  return whenKnown(limitsOf(method, sources), (limits) => acceptsWithin(limits, amount))
}

/** A payout as a resolver's parent, with all values that are non-null in the schema. */
export type PayoutView = {
  readonly payout: Payout | PayoutReport
  readonly totalAmount: Money
  readonly transactions: readonly PayoutTransactionView[]
}

export type PayoutTransactionView = {
  readonly id: string
  readonly payoutId: string
  readonly amount: Money
  readonly transaction: PayoutTransaction
  /** What the payments API has just told of the payee; undefined if the payout is on record, where payees are stored apart. */
  readonly payee?: PayoutPayee | null | undefined
}

/**
 * Returns a payout for the graph. The currency is the payout's own, otherwise the only one of its site. If the payments API omits
 * the total, it is the sum of the transactions. Null if the currency or the total is unknown: an amount is never guessed.
 */
export function payoutView(payout: Payout | PayoutReport, siteCurrencies: readonly string[]): PayoutView | null {
  const currency = payout.currency ?? (siteCurrencies.length === 1 ? siteCurrencies[0] : undefined)
  if (currency === undefined) return null
  const transactions = payout.transactions.flatMap((transaction) => viewOf(payout, transaction, currency))
  const whole = transactions.length === payout.transactions.length
  const total = payout.totalAmount ?? (whole ? sumDecimals(transactions.map(({ amount }) => amount.value)) : null)
  return total === null ? null : { payout, totalAmount: { value: total, currency }, transactions }
}

function viewOf(
  payout: Payout | PayoutReport,
  transaction: PayoutTransaction,
  currency: string,
): PayoutTransactionView[] {
  const { id, amount } = transaction
  if (amount === null) return []
  const payee = isRecorded(payout) ? undefined : (payout.payees.find((one) => one.transactionId === id) ?? null)
  return [{ id, payoutId: payout.id, amount: { value: amount, currency }, transaction, payee }]
}

/** Returns the value of the schema for the kind of a party. */
export function partyType(type: KnownType | null): PaymentPartyType {
  return type === null ? 'UNRECOGNISED' : (type.toUpperCase() as PaymentPartyType)
}

/** Returns the value of the schema for the state of an identity check. */
export function shownIdentityStatus(status: KnownStatus): PaymentIdentityStatus {
  return status === null ? 'UNRECOGNISED' : (status.toUpperCase() as PaymentIdentityStatus)
}

/** Returns a person in the words of the payments API. */
export function personRequest({ gender, type, ...person }: PaymentPersonInput): PersonRequest {
  return {
    ...person,
    gender: gender.toLowerCase() as PersonRequest['gender'],
    type: type.toLowerCase() as PersonRequest['type'],
  }
}

/** Returns an identity document in the words of the payments API. */
export function documentRequest({ type, ...document }: PaymentIdentityDocumentInput): DocumentRequest {
  return { ...document, type: type.toLowerCase() as DocumentRequest['type'] }
}

/**
 * Returns the payment, or null if its amount or currency is unknown because the payments API has not reported it in a readable form.
 * Such a payment is stored, and returned after a read has provided the amount: an amount is never guessed.
 */
export function presentable(payment: Payment | null): Payment | null {
  return payment === null || payment.details.amount === null || payment.details.currency === null ? null : payment
}

/** Returns the agreement, or null if the payments API has not yet reported all of its terms. */
export function presentableAgreement(agreement: Agreement | null): Agreement | null {
  if (agreement === null) return null
  const { serviceId, clientTransactionId, description, limit, startDate, createdAt } = agreement
  const needed = [serviceId, clientTransactionId, description, limit, startDate, createdAt]
  return needed.includes(null) ? null : agreement
}

/**
 * Returns the GraphQL object of an expected failure: a message, a code, and whether the same call may succeed later. The result
 * type depends on the failure's kind, so that a mutation cannot return a failure that its union does not contain.
 */
export function failureResult<F extends OperationFailure>(failure: F): ResultOf<F> {
  const shape = SHAPES[failure.kind] as (failure: OperationFailure) => ResultOf<F>
  return shape(failure)
}

/** Returns the result of a successful mutation of a customer. */
export function customerSuccess({ result, replayed }: { result: SitedCustomer; replayed: boolean }) {
  return { __typename: 'PaymentCustomerSuccess', customer: result, replayed } as const
}

type Kind = OperationFailure['kind']
type Of<K extends Kind> = Extract<OperationFailure, { kind: K }>
type ResultOf<F extends OperationFailure> = F extends OperationFailure ? ReturnType<(typeof SHAPES)[F['kind']]> : never

const SHAPES = {
  'invalid-input': ({ problems }: Of<'invalid-input'>) => ({
    ...final('PaymentsInvalidInputError', 'INVALID_INPUT', 'The input is invalid; nothing was sent.'),
    problems: shown(problems),
  }),
  'amount-out-of-range': ({ min, max }: Of<'amount-out-of-range'>) => ({
    ...final('PaymentsAmountOutOfRangeError', 'AMOUNT_OUT_OF_RANGE', 'The amount is outside the limits of the method.'),
    min,
    max,
  }),
  'method-unavailable': ({ availableCodes }: Of<'method-unavailable'>) => ({
    ...final('PaymentsMethodUnavailableError', 'METHOD_UNAVAILABLE', 'The method is not enabled for the currency.'),
    availableCodes: [...availableCodes],
  }),
  'idempotency-conflict': ({ inProgress }: Of<'idempotency-conflict'>) => ({
    ...(inProgress
      ? passing(
          'PaymentsIdempotencyConflictError',
          'IDEMPOTENCY_CONFLICT',
          'The first request with this key is still running.',
        )
      : final(
          'PaymentsIdempotencyConflictError',
          'IDEMPOTENCY_CONFLICT',
          'The key was already used with another input.',
        )),
    inProgress,
  }),
  'outcome-unknown': ({ operationId }: Of<'outcome-unknown'>) => ({
    ...passing(
      'PaymentsOutcomeUnknownError',
      'OUTCOME_UNKNOWN',
      'Its outcome is not recorded. Retry with the same key.',
    ),
    operationId,
  }),
  'state-conflict': ({ statusRaw }: Of<'state-conflict'>) => ({
    ...final('PaymentsStateConflictError', 'STATE_CONFLICT', 'Its status does not allow it; nothing was sent.'),
    statusRaw,
  }),
  'not-supported': (_failure: Of<'not-supported'>) =>
    final('PaymentsNotSupportedError', 'NOT_SUPPORTED', "The payment's method does not allow it; nothing was sent."),
  'not-replayable': ({ reason }: Of<'not-replayable'>) => ({
    ...final('PaymentsNotReplayableError', 'NOT_REPLAYABLE', REFUSALS[reason]),
    reason,
  }),
  'sandbox-only': (_failure: Of<'sandbox-only'>) =>
    final('PaymentsSandboxOnlyError', 'SANDBOX_ONLY', 'It is available in the sandbox only; nothing was sent.'),
  'invalid-qr': ({ position, message }: Of<'invalid-qr'>) => ({
    ...final('PaymentsInvalidQrContentError', 'INVALID_QR', `The QR payload is not well-formed: ${message}.`),
    position,
  }),
  'not-found': (_failure: Of<'not-found'>) =>
    final('PaymentsNotFoundError', 'NOT_FOUND', 'Nothing was found with this id.'),
  'upstream-rejected': ({ httpStatus, upstreamCode, problems }: Of<'upstream-rejected'>) => ({
    ...(httpStatus === 404
      ? final(
          'PaymentsUpstreamRejectedError',
          'UPSTREAM_NOT_FOUND',
          'The payments API answered 404: it does not know what this is for.',
        )
      : final('PaymentsUpstreamRejectedError', 'UPSTREAM_REJECTED', `The payments API answered ${httpStatus}.`)),
    httpStatus,
    upstreamCode,
    problems: shown(problems),
  }),
  'upstream-unavailable': ({ retryAfterSeconds }: Of<'upstream-unavailable'>) => ({
    ...passing(
      'PaymentsUpstreamUnavailableError',
      'UPSTREAM_UNAVAILABLE',
      'The payments API cannot be reached; nothing was done.',
    ),
    retryAfterSeconds,
  }),
  'credentials-rejected': ({ site }: Of<'credentials-rejected'>) => ({
    ...final(
      'PaymentsCredentialsRejectedError',
      'CREDENTIALS_REJECTED',
      'The payments API refused the credentials of the site.',
    ),
    site,
  }),
} satisfies { [K in Kind]: (failure: Of<K>) => { __typename: string } }

const REFUSALS: Readonly<Record<ReplayRefusal, string>> = {
  ALREADY_APPLIED: 'The delivery has already changed the state; nothing was changed.',
  WITHOUT_BODY: 'The body was not stored; nothing was changed.',
  UNREADABLE: 'This version cannot read the body either; nothing was changed.',
  MISADDRESSED: 'The delivery is about another subject than its webhook URL; nothing was changed.',
}

/** Returns an error result that is not retryable: the same call fails again. */
function final<Name extends string>(name: Name, code: PaymentsErrorCode, message: string) {
  return { __typename: name, code, message, retryable: false } as const
}

/** Returns a retryable error result: the same call may succeed later. */
function passing<Name extends string>(name: Name, code: PaymentsErrorCode, message: string) {
  return { __typename: name, code, message, retryable: true } as const
}

function shown(problems: readonly PaymentsFieldProblem[]) {
  return problems.map(({ path, message }) => ({ path: path.map(abridged), message: abridged(message) }))
}
