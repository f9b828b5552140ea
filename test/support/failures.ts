/** What each expected failure tells beside its code. */
const FIELDS = {
  InvalidInputError: 'problems { path message }',
  AmountOutOfRangeError: 'min { value currency } max { value currency }',
  MethodUnavailableError: 'availableCodes',
  IdempotencyConflictError: 'inProgress',
  OutcomeUnknownError: 'operationId',
  UpstreamRejectedError: 'httpStatus upstreamCode problems { path message }',
  UpstreamUnavailableError: 'retryAfterSeconds',
  CredentialsRejectedError: 'site',
  StateConflictError: 'statusRaw',
  InvalidQrContentError: 'position',
} as const

type Failure = keyof typeof FIELDS

/** Every union with a call of the payments API behind it has these. */
const OF_EVERY_CALL: readonly Failure[] = [
  'UpstreamRejectedError',
  'UpstreamUnavailableError',
  'CredentialsRejectedError',
]

/** The ones of a command that runs at most once. */
const OF_EVERY_COMMAND: readonly Failure[] = [...OF_EVERY_CALL, 'IdempotencyConflictError', 'OutcomeUnknownError']

/** The selection of a command's failures: those that all commands have, and some more. */
export function commandFailures(...more: readonly Failure[]): string {
  return selection([...OF_EVERY_COMMAND, ...more])
}

/** The selection of a plain call's failures. */
export function callFailures(...more: readonly Failure[]): string {
  return selection([...OF_EVERY_CALL, ...more])
}

function selection(failures: readonly Failure[]): string {
  const spreads = failures.map((failure) => `... on ${failure} { ${FIELDS[failure]} }`)
  return `__typename ${spreads.join(' ')} ... on PaymentsError { code message retryable }`
}
