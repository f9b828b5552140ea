import type { ReplayRefusal } from '../domain/delivery.ts'
import type { Money } from '../domain/money/money.ts'

/** What is wrong with one field of the input. */
export type FieldProblem = { readonly path: readonly string[]; readonly message: string }

/** Mend the fields that are named; nothing was sent. */
export type InvalidInput = { readonly kind: 'invalid-input'; readonly problems: readonly FieldProblem[] }

/** Choose another amount or method; nothing was sent. */
export type MethodFailure =
  | { readonly kind: 'amount-out-of-range'; readonly min: Money | null; readonly max: Money | null }
  | { readonly kind: 'method-unavailable'; readonly availableCodes: readonly string[] }

/** Mend the input; nothing was sent. */
export type InputFailure = InvalidInput | MethodFailure

/** Use another key, wait for the first use of this one, or ask again with it. */
export type RepeatFailure =
  | { readonly kind: 'idempotency-conflict'; readonly inProgress: boolean }
  | { readonly kind: 'outcome-unknown'; readonly operationId: string }

/** The payments API said no, in its own words. */
export type Rejection = {
  readonly kind: 'upstream-rejected'
  readonly httpStatus: number
  readonly upstreamCode: string | null
  readonly problems: readonly FieldProblem[]
}

/** The payments API did nothing: try again later, or have an operator look at the credentials. */
export type NothingDone =
  | { readonly kind: 'upstream-unavailable'; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'credentials-rejected'; readonly site: string }

/** The expected failures of a command that runs at most once. */
export type CommandFailure = RepeatFailure | Rejection | NothingDone

/** The expected failures of a read. */
export type ReadFailure = { readonly kind: 'not-found' } | Rejection | NothingDone

/** The thing itself stands in the way; nothing was sent. */
export type StateFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }

/** The expected failures of a refund before it is sent. */
export type RefundFailure =
  | InvalidInput
  | StateFailure
  /** The method does not allow it. */
  | { readonly kind: 'not-supported' }

/** It runs in the sandbox only; nothing was sent. */
export type SandboxFailure = { readonly kind: 'sandbox-only' }

/** The QR payload is not well-formed; nothing was sent. `position` is the offset of the first fault. */
export type QrFailure = { readonly kind: 'invalid-qr'; readonly position: number; readonly message: string }

/** The delivery cannot be decided anew; nothing was changed. */
export type ReplayFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-replayable'; readonly reason: ReplayRefusal }

/** Every expected failure, sorted by what the caller should do next. */
export type OperationFailure =
  | InputFailure
  | CommandFailure
  | ReadFailure
  | StateFailure
  | RefundFailure
  | SandboxFailure
  | QrFailure
  | ReplayFailure
