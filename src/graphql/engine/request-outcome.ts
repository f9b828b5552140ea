import type { GraphQLFormattedError } from 'graphql'

/** Outcome of a request: refused before it ran, one answer, or a stream of answers. */
export type RequestOutcome = Refusal | Answer | AnswerStream

/** The request did not run. */
export type Refusal = {
  readonly kind: 'refusal'
  readonly errors: readonly GraphQLFormattedError[]
  /** The HTTP status that goes with the first error. */
  readonly status: number
  /** Value of `WWW-Authenticate` (RFC 9110, section 11.6.1) if the first error needs a challenge; otherwise null. */
  readonly challenge: string | null
}

/** The response to a query or a mutation; also to a subscription that was refused by its own resolver. */
export type Answer = {
  readonly kind: 'answer'
  /** The response as JSON: `data`, `errors` or both. */
  readonly json: string
  /** The HTTP status of its errors; 200 without errors. */
  readonly status: number
  /** Seconds for which the answer is valid for everybody; null if it is private to the caller. */
  readonly maxAgeS: number | null
}

/** One response of a subscription. */
export type StreamAnswer = {
  /** The response as JSON. */
  readonly json: string
  /** Cursor after which the stream continues behind this item; empty if it cannot, null if this is no item of a stream. */
  readonly cursor: string | null
}

/**
 * The responses of a subscription, made on demand. `return` ends the stream at once, also while `next` waits. `next` rejects with
 * `StreamInterrupted` if the source failed: the client should reconnect after its last item.
 */
export type AnswerStream = {
  readonly kind: 'stream'
  next(): Promise<IteratorResult<StreamAnswer, undefined>>
  return(): Promise<IteratorReturnResult<undefined>>
}

/** The stream failed; the reason has been logged. */
export class StreamInterrupted extends Error {
  constructor() {
    super('The source of the stream failed.')
  }
}
