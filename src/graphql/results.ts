import type { Failure, FieldProblem } from '../operations/outcome.ts'
import type { PaymentsErrorCode } from './generated.ts'

/**
 * The GraphQL object for an expected failure: a sentence, a code, and whether the same call may succeed later. The result
 * type follows the failure's kind, so that a mutation cannot answer with a failure that its union does not list.
 */
export function failureResult<F extends Failure>(failure: F): ResultOf<F> {
  const shape = SHAPES[failure.kind] as (failure: Failure) => ResultOf<F>
  return shape(failure)
}

type Kind = Failure['kind']
type Of<K extends Kind> = Extract<Failure, { kind: K }>
type ResultOf<F extends Failure> = F extends Failure ? ReturnType<(typeof SHAPES)[F['kind']]> : never

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
  'not-found': (_failure: Of<'not-found'>) => final('NotFoundError', 'NOT_FOUND', 'There is nothing with this id.'),
  'upstream-rejected': ({ httpStatus, upstreamCode, problems }: Of<'upstream-rejected'>) => ({
    ...final('UpstreamRejectedError', 'UPSTREAM_REJECTED', `The service answered ${httpStatus}.`),
    httpStatus,
    upstreamCode,
    problems: shown(problems),
  }),
  'upstream-unavailable': ({ retryAfterSeconds }: Of<'upstream-unavailable'>) => ({
    ...passing('UpstreamUnavailableError', 'UPSTREAM_UNAVAILABLE', 'The service cannot be reached; nothing was done.'),
    retryAfterSeconds,
  }),
  'credentials-rejected': ({ site }: Of<'credentials-rejected'>) => ({
    ...final('CredentialsRejectedError', 'CREDENTIALS_REJECTED', 'The service refused the credentials of the site.'),
    site,
  }),
} satisfies { [K in Kind]: (failure: Of<K>) => { __typename: string } }

/** The same call will fail again. */
function final<Name extends string>(name: Name, code: PaymentsErrorCode, message: string) {
  return { __typename: name, code, message, retryable: false } as const
}

/** The same call may succeed later. */
function passing<Name extends string>(name: Name, code: PaymentsErrorCode, message: string) {
  return { __typename: name, code, message, retryable: true } as const
}

function shown(problems: readonly FieldProblem[]) {
  return problems.map(({ path, message }) => ({ path: [...path], message }))
}
