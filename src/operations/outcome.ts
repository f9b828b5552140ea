import type { Money } from '../domain/money.ts'

/** What is wrong with one field of the input. */
export type FieldProblem = { readonly path: readonly string[]; readonly message: string }

/** Mend the input; nothing was sent. */
export type InputFailure =
  | { readonly kind: 'invalid-input'; readonly problems: readonly FieldProblem[] }
  | { readonly kind: 'amount-out-of-range'; readonly min: Money | null; readonly max: Money | null }
  | { readonly kind: 'method-unavailable'; readonly availableCodes: readonly string[] }

/** Use another key, wait for the first use of this one, or ask again with it. */
export type RepeatFailure =
  | { readonly kind: 'idempotency-conflict'; readonly inProgress: boolean }
  | { readonly kind: 'outcome-unknown'; readonly operationId: string }

/** The service said no, in its own words. */
export type Rejection = {
  readonly kind: 'upstream-rejected'
  readonly httpStatus: number
  readonly upstreamCode: string | null
  readonly problems: readonly FieldProblem[]
}

/** The service did nothing: try again later, or have an operator look at the credentials. */
export type NothingDone =
  | { readonly kind: 'upstream-unavailable'; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'credentials-rejected'; readonly site: string }

/** The expected failures of a command that runs at most once. */
export type CommandFailure = RepeatFailure | Rejection | NothingDone

/** The expected failures of a read. */
export type ReadFailure = { readonly kind: 'not-found' } | Rejection | NothingDone

/** Every expected failure, sorted by what the caller should do next. */
export type Failure = InputFailure | CommandFailure | ReadFailure
