import { errorOf, PaymentsClientError } from '../client-errors.ts'
import { operationOf, type Operation, type PaymentsEndpoint } from '../graph-endpoint.ts'
import type { Result } from '../request/ask.ts'
import type { State, StreamItem, Subject } from '../updates.ts'
import type { Timing } from './timing.ts'

/** A connection that delivers one stream. */
export type OpenedConnection = {
  /** Closes the connection at once; no events are emitted afterwards. */
  close(): void
  /** Checks that the connection is alive, and ends it soon if not. */
  check(): void
}

export type ConnectionEvents = {
  /** Called once, before the first item, when the connection works. */
  opened(): void
  item(item: StreamItem): void
  /** Called once, as the last event. */
  ended(end: ConnectionEnd): void
}

/**
 * Why a connection has ended. `unopened`: this transport does not work here. `lost`: reconnect. `restarting`: reconnect at
 * once. `complete`: the stream, or the right to read it, has ended. `refused`: the server rejected the operation or the
 * caller, as the error says.
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
  /** The last delivered state. */
  readonly held: State | null
  readonly timing: Timing
  /** Milliseconds between two polls. */
  readonly pollMs: number
}

export type OpenConnection = (request: ConnectionRequest, events: ConnectionEvents) => OpenedConnection

/** Returns a connection end with an error of the client kit. */
export function ending(kind: ConnectionEnd['kind'], code: string, message: string): ConnectionEnd {
  return { kind, error: new PaymentsClientError(code, message) }
}

/** Returns the connection end for an error. */
export function endBy(error: PaymentsClientError): ConnectionEnd {
  return { kind: error.retryable ? 'lost' : 'refused', error }
}

/** Whether an error comes from the graph, and not from the network. */
export function isOfGraph({ code, errors, retryAfterMs }: PaymentsClientError): boolean {
  return errors.length > 0 || retryAfterMs !== null || code === 'UNAUTHENTICATED' || code === 'NOT_FOUND'
}

/** Returns the operation of a stream. */
export function streamOperation({ subject, endpoint, after }: ConnectionRequest): Operation {
  return operationOf(subject.document, { ...subject.variables, after }, endpoint.documents)
}

/** Returns the item of a result, or the connection end that the result means. */
export function readResult({ data, errors = [] }: Result, { field }: Subject): StreamItem | ConnectionEnd {
  const item = (data as Readonly<Record<string, unknown>> | null | undefined)?.[field]
  // Fields that failed are null; the item is still valid.
  if (isItem(item)) return item
  if (errors.length > 0) return endBy(errorOf(errors))
  return ending('lost', 'BAD_RESPONSE', 'An item without data came.')
}

function isItem(value: unknown): value is StreamItem {
  return typeof value === 'object' && value !== null && 'kind' in value
}
