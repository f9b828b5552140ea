import type { GraphQLFormattedError } from 'graphql'

/** Outcome of a request: refused before it ran, one answer, or a stream of answers. */
export type RequestOutcome = Refusal | Answer | AnswerStream

/** The outcome of a request that was rejected before it ran. */
export type Refusal = {
  readonly kind: 'refusal'
  readonly errors: readonly GraphQLFormattedError[]
  /** The HTTP status of the first error that has one; 400 without one. */
  readonly status: number
  /** Value of `WWW-Authenticate` (RFC 9110, section 11.6.1) if the same error needs a challenge; otherwise null. */
  readonly challenge: string | null
}

/** The response to a query or a mutation; also to a subscription that was refused by its own resolver. */
export type Answer = {
  readonly kind: 'answer'
  /** The response as JSON: `data`, `errors` or both. */
  readonly json: string
  /** The HTTP status of the first error that has one; 200 without one. */
  readonly status: number
  /** Seconds for which the answer may be shared between callers; null if it is private to the caller. */
  readonly maxAgeS: number | null
}

/** One response of a subscription. */
export type StreamAnswer = {
  /** The response as JSON. */
  readonly json: string
  /** Cursor from which the stream resumes after this item; empty if it cannot resume, null if this is not an item of the stream. */
  readonly cursor: string | null
}

/**
 * The responses of a subscription, produced on demand. `return` ends the stream at once, even if `next` is pending. `next` rejects with
 * `StreamInterrupted` if the source failed: the client should reconnect after its last item.
 */
export type AnswerStream = {
  readonly kind: 'stream'
  next(): Promise<IteratorResult<StreamAnswer, undefined>>
  return(): Promise<IteratorReturnResult<undefined>>
}

/** The error of a failed stream. The reason has been logged. */
export class StreamInterrupted extends Error {
  constructor() {
    super('The source of the stream failed.')
  }
}
