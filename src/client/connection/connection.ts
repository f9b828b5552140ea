import { operationOf, type Operation, type PaymentsEndpoint } from '../endpoint.ts'
import { errorOf, PaymentsClientError } from '../errors.ts'
import type { Result } from '../request/post.ts'
import type { State, StreamItem, Subject } from '../watch/subject.ts'
import type { Timing } from './timing.ts'

/** One connection that carries one stream. */
export type OpenedConnection = {
  /** Ends it at once; no event comes after that. */
  close(): void
  /** Makes sure that it is alive: ends it soon when it is not. */
  check(): void
}

export type ConnectionEvents = {
  /** It carries. Once, before the first item. */
  opened(): void
  item(item: StreamItem): void
  /** Once, and the last. */
  ended(end: ConnectionEnd): void
}

/**
 * Why a connection has ended. `unopened`: this transport does not work here. `lost`: come again. `restarting`: come again at once.
 * `complete`: the stream is over, or the right to it. `refused`: the operation, or the caller, by what the error says.
 */
export type ConnectionEnd = {
  readonly kind: 'unopened' | 'lost' | 'restarting' | 'complete' | 'refused'
  readonly error: PaymentsClientError
}

export type ConnectionRequest = {
  readonly subject: Subject
  readonly endpoint: PaymentsEndpoint
  readonly token: string | null
  readonly after: string | null
  /** What was delivered last. */
  readonly held: State | null
  readonly timing: Timing
  /** Between two polls, in milliseconds. */
  readonly pollMs: number
}

export type OpenConnection = (request: ConnectionRequest, events: ConnectionEvents) => OpenedConnection

/** A connection's end with an error of the kit. */
export function ending(kind: ConnectionEnd['kind'], code: string, message: string): ConnectionEnd {
  return { kind, error: new PaymentsClientError(code, message) }
}

/** The end that an error makes. */
export function endBy(error: PaymentsClientError): ConnectionEnd {
  return { kind: error.retryable ? 'lost' : 'refused', error }
}

/** Whether an error says something about the request, and not about the way to the graph. */
export function isOfGraph({ code, errors, retryAfterMs }: PaymentsClientError): boolean {
  return errors.length > 0 || retryAfterMs !== null || code === 'UNAUTHENTICATED' || code === 'NOT_FOUND'
}

/** The operation of a stream. */
export function streamOperation({ subject, endpoint, after }: ConnectionRequest): Operation {
  return operationOf(subject.document, { ...subject.variables, after }, endpoint.documents)
}

/** The item of a result, or the end that it is. */
export function readResult({ data, errors = [] }: Result, { field }: Subject): StreamItem | ConnectionEnd {
  const item = (data as Readonly<Record<string, unknown>> | null | undefined)?.[field]
  // Parts that could not be had are null, and the item stands.
  if (isItem(item)) return item
  if (errors.length > 0) return endBy(errorOf(errors))
  return ending('lost', 'BAD_RESPONSE', 'An item without data came.')
}

function isItem(value: unknown): value is StreamItem {
  return typeof value === 'object' && value !== null && 'cursor' in value
}
