import type { GraphQLFormattedError } from 'graphql'

/** What became of a request: it was refused before it ran, it has one answer, or it has many. */
export type RequestOutcome = Refusal | Answer | AnswerStream

/** The request did not run. */
export type Refusal = {
  readonly kind: 'refusal'
  readonly errors: readonly GraphQLFormattedError[]
  /** The HTTP status that goes with the first error. */
  readonly status: number
  /** For `WWW-Authenticate` (RFC 9110, section 11.6.1), where the first error names a challenge; otherwise null. */
  readonly challenge: string | null
}

/** The response to a query or a mutation; also to a subscription that was refused by its own resolver. */
export type Answer = {
  readonly kind: 'answer'
  /** The response as JSON: `data`, `errors` or both. */
  readonly json: string
  /** The HTTP status that its errors ask for; 200 otherwise. */
  readonly status: number
  /** Seconds for which the answer is the same for everybody; null when it is the caller's alone. */
  readonly maxAgeS: number | null
}

/** One response of a subscription. */
export type StreamAnswer = {
  /** The response as JSON. */
  readonly json: string
  /** Where a stream can be continued after this item; empty where it cannot, null for what is no item of a stream. */
  readonly cursor: string | null
}

/**
 * The responses of a subscription one by one. The next is not made before it is asked for; `return` ends them at once, also
 * while `next` waits. `next` rejects with `StreamInterrupted` when the source has failed: the client is to come back after the
 * last item.
 */
export type AnswerStream = {
  readonly kind: 'stream'
  next(): Promise<IteratorResult<StreamAnswer, undefined>>
  return(): Promise<IteratorReturnResult<undefined>>
}

/** A stream ended before its time, for a reason that is in the log. */
export class StreamInterrupted extends Error {
  constructor() {
    super('The source of the stream failed.')
  }
}
