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
  /** The code of its gravest error; left out without errors. */
  readonly code?: string
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
 * How a stream of answers has ended: there are no more, or its source failed, which has been logged, and the client should reconnect
 * after its last item.
 */
export type AnswersEnd = 'complete' | 'interrupted'

/** Receives the answers of a subscription. Neither method throws. */
export type AnswerReader = {
  take(answer: StreamAnswer): void
  end(how: AnswersEnd): void
}

/**
 * The responses of a subscription, produced on demand. Read by callbacks: promises would show in what an event to ten thousand streams
 * costs.
 */
export type AnswerStream = {
  readonly kind: 'stream'
  /** Passes the next answer or the end to the reader, synchronously or later. The reader must not call it again before that. */
  pull(reader: AnswerReader): void
  /** Ends the stream at once. A reader that waits for an answer is told that it is complete. */
  stop(): void
}

/** Resolves with the next answer, or with how the stream has ended. */
export function nextOf(stream: AnswerStream): Promise<StreamAnswer | AnswersEnd> {
  return new Promise((resolve) => stream.pull({ take: resolve, end: resolve }))
}
