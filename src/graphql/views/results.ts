import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { ReplayRefusal } from '../../domain/delivery.ts'
import { abridged } from '../../lib/abbreviate.ts'
import type { SitedContact, SitedCustomer } from '../../lookups/find-customers.ts'
import type { SitedPayout } from '../../lookups/list-payouts.ts'
import type { OperationFailure, FieldProblem } from '../../lookups/operation-outcome.ts'
import type { PaymentsErrorCode } from '../generated.ts'
import { payoutView } from './payout-view.ts'

/**
 * Returns the GraphQL object of an expected failure: a message, a code, and whether the same call may succeed later. The result
 * type depends on the failure's kind, so that a mutation cannot return a failure that its union does not contain.
 */
export function failureResult<F extends OperationFailure>(failure: F): ResultOf<F> {
  const shape = SHAPES[failure.kind] as (failure: OperationFailure) => ResultOf<F>
  return shape(failure)
}

/** Returns the result of a successful agreement mutation. */
export function agreementSuccess({ agreement, replayed }: { agreement: Agreement; replayed: boolean }) {
  return { __typename: 'PaymentAgreementSuccess', agreement, replayed } as const
}

/** Returns the result of a successful payout mutation. Throws `TypeError` if the payout's amount or currency is unknown. */
export function payoutSuccess({ payout: sited, replayed }: { payout: SitedPayout; replayed: boolean }) {
  const payout = payoutView(sited.payout, sited.currencies)
  if (payout === null) throw new TypeError('The payments API answered with a payout that has no amount.')
  return { __typename: 'PayoutSuccess', payout, replayed } as const
}

/** Returns the result of a successful mutation of a customer. */
export function customerSuccess({ customer, replayed }: { customer: SitedCustomer; replayed: boolean }) {
  return { __typename: 'PaymentCustomerSuccess', customer, replayed } as const
}

/** Returns the result of a successful mutation of a contact. */
export function contactSuccess({ contact, replayed }: { contact: SitedContact; replayed: boolean }) {
  return { __typename: 'PaymentContactSuccess', contact, replayed } as const
}

type Kind = OperationFailure['kind']
type Of<K extends Kind> = Extract<OperationFailure, { kind: K }>
type ResultOf<F extends OperationFailure> = F extends OperationFailure ? ReturnType<(typeof SHAPES)[F['kind']]> : never

const SHAPES = {
  'invalid-input': ({ problems }: Of<'invalid-input'>) => ({
    ...final('InvalidInputError', 'INVALID_INPUT', 'The input breaks a rule of the interface; nothing was sent.'),
    problems: shown(problems),
  }),
  'amount-out-of-range': ({ min, max }: Of<'amount-out-of-range'>) => ({
    ...final('AmountOutOfRangeError', 'AMOUNT_OUT_OF_RANGE', 'The amount lies outside the limits of the method.'),
    min,
    max,
  }),
  'method-unavailable': ({ availableCodes }: Of<'method-unavailable'>) => ({
    ...final('MethodUnavailableError', 'METHOD_UNAVAILABLE', 'The method is not enabled for the currency.'),
    availableCodes: [...availableCodes],
  }),
  'idempotency-conflict': ({ inProgress }: Of<'idempotency-conflict'>) => ({
    ...(inProgress
      ? passing('IdempotencyConflictError', 'IDEMPOTENCY_CONFLICT', 'The first use of the key is still running.')
      : final('IdempotencyConflictError', 'IDEMPOTENCY_CONFLICT', 'The key was used before with another input.')),
    inProgress,
  }),
  'outcome-unknown': ({ operationId }: Of<'outcome-unknown'>) => ({
    ...passing('OutcomeUnknownError', 'OUTCOME_UNKNOWN', 'No answer came back. Ask again with the same key.'),
    operationId,
  }),
  'state-conflict': ({ statusRaw }: Of<'state-conflict'>) => ({
    ...final('StateConflictError', 'STATE_CONFLICT', 'Its status does not allow it; nothing was sent.'),
    statusRaw,
  }),
  'not-supported': (_failure: Of<'not-supported'>) =>
    final('NotSupportedError', 'NOT_SUPPORTED', "The payment's method does not allow it; nothing was sent."),
  'not-replayable': ({ reason }: Of<'not-replayable'>) => ({
    ...final('NotReplayableError', 'NOT_REPLAYABLE', REFUSALS[reason]),
    reason,
  }),
  'sandbox-only': (_failure: Of<'sandbox-only'>) =>
    final('SandboxOnlyError', 'SANDBOX_ONLY', 'It runs in the sandbox only; nothing was sent.'),
  'invalid-qr': ({ position, message }: Of<'invalid-qr'>) => ({
    ...final('InvalidQrContentError', 'INVALID_QR', `The QR payload is not well-formed: ${message}.`),
    position,
  }),
  'not-found': (_failure: Of<'not-found'>) => final('NotFoundError', 'NOT_FOUND', 'There is nothing with this id.'),
  'upstream-rejected': ({ httpStatus, upstreamCode, problems }: Of<'upstream-rejected'>) => ({
    ...(httpStatus === 404
      ? final(
          'UpstreamRejectedError',
          'UPSTREAM_NOT_FOUND',
          'The payments API answered 404: it does not know what this is for.',
        )
      : final('UpstreamRejectedError', 'UPSTREAM_REJECTED', `The payments API answered ${httpStatus}.`)),
    httpStatus,
    upstreamCode,
    problems: shown(problems),
  }),
  'upstream-unavailable': ({ retryAfterSeconds }: Of<'upstream-unavailable'>) => ({
    ...passing(
      'UpstreamUnavailableError',
      'UPSTREAM_UNAVAILABLE',
      'The payments API cannot be reached; nothing was done.',
    ),
    retryAfterSeconds,
  }),
  'credentials-rejected': ({ site }: Of<'credentials-rejected'>) => ({
    ...final(
      'CredentialsRejectedError',
      'CREDENTIALS_REJECTED',
      'The payments API refused the credentials of the site.',
    ),
    site,
  }),
} satisfies { [K in Kind]: (failure: Of<K>) => { __typename: string } }

const REFUSALS: Readonly<Record<ReplayRefusal, string>> = {
  ALREADY_APPLIED: 'The delivery has changed the state already; nothing was changed.',
  WITHOUT_BODY: 'Nothing of the body is kept; nothing was changed.',
  UNREADABLE: 'This version cannot read the body either; nothing was changed.',
  MISADDRESSED: 'The delivery speaks of something else than its address; nothing was changed.',
}

/** Returns an error result that is not retryable: the same call fails again. */
function final<Name extends string>(name: Name, code: PaymentsErrorCode, message: string) {
  return { __typename: name, code, message, retryable: false } as const
}

/** Returns a retryable error result: the same call may succeed later. */
function passing<Name extends string>(name: Name, code: PaymentsErrorCode, message: string) {
  return { __typename: name, code, message, retryable: true } as const
}

function shown(problems: readonly FieldProblem[]) {
  return problems.map(({ path, message }) => ({ path: path.map(abridged), message: abridged(message) }))
}
