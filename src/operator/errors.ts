/** The command line cannot be understood: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What was asked for was refused or failed: exit code 1. The message is for the operator, and holds no secret. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
