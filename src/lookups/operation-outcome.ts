import type { ReplayRefusal } from '../domain/delivery.ts'
import type { Money } from '../domain/money/money.ts'

/** A problem with one field of the input. */
export type FieldProblem = { readonly path: readonly string[]; readonly message: string }

/** Invalid fields, which the caller should correct; nothing was sent. */
export type InvalidInput = { readonly kind: 'invalid-input'; readonly problems: readonly FieldProblem[] }

/** The amount or method is not possible, and the caller should choose another; nothing was sent. */
export type MethodFailure =
  | { readonly kind: 'amount-out-of-range'; readonly min: Money | null; readonly max: Money | null }
  | { readonly kind: 'method-unavailable'; readonly availableCodes: readonly string[] }

/** The input has to be changed; nothing was sent. */
export type InputFailure = InvalidInput | MethodFailure

/** A conflict on the idempotency key: use another key, wait for the first use of this one, or retry with it. */
export type RepeatFailure =
  | { readonly kind: 'idempotency-conflict'; readonly inProgress: boolean }
  | { readonly kind: 'outcome-unknown'; readonly operationId: string }

/** The payments API refused the request; code and messages are its own. */
export type Rejection = {
  readonly kind: 'upstream-rejected'
  readonly httpStatus: number
  readonly upstreamCode: string | null
  readonly problems: readonly FieldProblem[]
}

/** The payments API did nothing: retry later, or have an operator check the credentials. */
export type NothingDone =
  | { readonly kind: 'upstream-unavailable'; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'credentials-rejected'; readonly site: string }

/** The expected failures of a command that runs at most once. */
export type CommandFailure = RepeatFailure | Rejection | NothingDone

/** The expected failures of a read. */
export type ReadFailure = { readonly kind: 'not-found' } | Rejection | NothingDone

/** The state of the object does not allow the command; nothing was sent. */
export type StateFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'state-conflict'; readonly statusRaw: string }

/** The expected failures of a refund before it is sent. */
export type RefundFailure =
  | InvalidInput
  | StateFailure
  /** The method does not allow it. */
  | { readonly kind: 'not-supported' }

/** The operation exists in the sandbox only; nothing was sent. */
export type SandboxFailure = { readonly kind: 'sandbox-only' }

/** The QR payload is not well-formed; nothing was sent. `position` is the offset of the first error. */
export type QrFailure = { readonly kind: 'invalid-qr'; readonly position: number; readonly message: string }

/** The delivery cannot be processed again; nothing was changed. */
export type ReplayFailure =
  | { readonly kind: 'not-found' }
  | { readonly kind: 'not-replayable'; readonly reason: ReplayRefusal }

/** Every expected failure, grouped by what the caller should do next. */
export type OperationFailure =
  | InputFailure
  | CommandFailure
  | ReadFailure
  | StateFailure
  | RefundFailure
  | SandboxFailure
  | QrFailure
  | ReplayFailure
