/** Selected fields of each expected failure, besides its code. */
const FIELDS = {
  PaymentsInvalidInputError: 'problems { path message }',
  PaymentsAmountOutOfRangeError: 'min { value currency } max { value currency }',
  PaymentsMethodUnavailableError: 'availableCodes',
  PaymentsIdempotencyConflictError: 'inProgress',
  PaymentsOutcomeUnknownError: 'operationId',
  PaymentsUpstreamRejectedError: 'httpStatus upstreamCode problems { path message }',
  PaymentsUpstreamUnavailableError: 'retryAfterSeconds',
  PaymentsCredentialsRejectedError: 'site',
  PaymentsStateConflictError: 'statusRaw',
  PaymentsInvalidQrContentError: 'position',
} as const

type Failure = keyof typeof FIELDS

/** Failures in the union of every operation that calls the payments API. */
const OF_EVERY_CALL: readonly Failure[] = [
  'PaymentsUpstreamRejectedError',
  'PaymentsUpstreamUnavailableError',
  'PaymentsCredentialsRejectedError',
]

/** Failures of every command that runs at most once. */
const OF_EVERY_COMMAND: readonly Failure[] = [
  ...OF_EVERY_CALL,
  'PaymentsIdempotencyConflictError',
  'PaymentsOutcomeUnknownError',
]

/** Returns the selection of a command's failures: those of every command, and some more. */
export function commandFailures(...more: readonly Failure[]): string {
  return selection([...OF_EVERY_COMMAND, ...more])
}

/** Returns the selection of the failures of a call that is not a command. */
export function callFailures(...more: readonly Failure[]): string {
  return selection([...OF_EVERY_CALL, ...more])
}

/** Returns the selection of exactly these failures, for an operation that calls nobody. */
export function failures(...names: readonly Failure[]): string {
  return selection(names)
}

function selection(names: readonly Failure[]): string {
  const spreads = names.map((failure) => `... on ${failure} { ${FIELDS[failure]} }`)
  return `__typename ${spreads.join(' ')} ... on PaymentsError { code message retryable }`
}
