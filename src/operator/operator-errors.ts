/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The operation was refused or failed: exit code 1. The message is for the operator and contains no secrets. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
