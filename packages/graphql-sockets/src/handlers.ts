import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import type { Closing } from './protocol.ts'

/** What an app does for its sockets. `Session` is what it keeps of a connection. */
export type SocketHandlers<Session> = {
  /**
   * Authenticates a connection by the payload of its `connection_init`. Resolves to true if it is to be acknowledged, and to false if the
   * app has closed it. When it rejects, the connection is closed with 4500.
   */
  greet(session: Session, payload: unknown): Promise<boolean>
  /** Runs an operation. When it rejects, the connection is closed with 4500. */
  run(session: Session, payload: SubscribePayload, options: RunOptions): Promise<Outcome>
  /** Returns how to close a connection of which a stream has come to its end, so that its client connects again; null to complete the stream. */
  closingAtEnd(session: Session): Closing | null
  /** Called once, when a connection has closed. */
  closed(session: Session): void
}

export type OperationKind = 'query' | 'mutation' | 'subscription'

export type RunOptions = {
  /** The message of the operation. */
  readonly text: string
  /** Whether the client still waits for the operation. */
  readonly isWanted: () => boolean
  /** To be called once, when the kind is known. Returns the error if the connection has too many operations, with which it is refused. */
  readonly admit: (kind: OperationKind) => GraphQLError | null
}

/** What became of an operation: it was refused before it ran, and has one answer, or a stream of them. */
export type Outcome =
  | { readonly kind: 'refusal'; readonly errors: readonly GraphQLFormattedError[] }
  /** `json` is the whole response: `data`, `errors` or both. */
  | { readonly kind: 'answer'; readonly json: string }
  | AnswerStream

/** The answers of a subscription, produced on demand. */
export type AnswerStream = {
  readonly kind: 'stream'
  /** Passes the next answer or the end to the reader, synchronously or later. It is not called again before that. */
  pull(reader: AnswerReader): void
  /** Ends the stream at once. A reader that waits for an answer may be told that it is complete. */
  stop(): void
}

/** Reads the answers of a subscription by callbacks: promises would show in what an event to ten thousand streams costs. */
export type AnswerReader = {
  take(answer: { readonly json: string }): void
  /** `interrupted`: the source failed, and the client is to connect again for the rest. */
  end(how: 'complete' | 'interrupted'): void
}

/** A connection, as the app sees it. */
export type Connection = {
  /** False once it is closing. */
  readonly isOpen: boolean
  close(code: number, reason: string): void
}

/** The limits of one connection. */
export type SocketLimits = {
  /** Milliseconds within which a client must initialise the connection; otherwise it is closed with 4408. */
  readonly initMs: number
  /** Milliseconds between two pings; a connection whose ping is unanswered when the next is due is closed with 1013. */
  readonly keepAliveMs: number
  /** Bytes that may be buffered for a peer; above this, reading from it pauses. */
  readonly bufferedBytes: number
  /** Milliseconds for which the buffer may exceed that size; then the connection is closed with 1013. */
  readonly bufferedMs: number
  /** Concurrent streams, and the same number of other operations; the next gets `TOO_MANY_OPERATIONS`. */
  readonly streams: number
  /** Operations, messages and bytes per second, four times as many at once; above this the connection is closed with 4429. */
  readonly operationsPerSecond: number
  readonly messagesPerSecond: number
  readonly bytesPerSecond: number
}

/** A timer that all connections share. Timers of their own would cost more than the connections. */
export type SharedTimer = {
  /** Milliseconds between two calls of a member. */
  readonly periodMs: number
  add(member: TimerMember): void
  delete(member: TimerMember): void
}

type TimerMember = { onTimer(): void }

/** Writes fields and a text, as pino does. */
export type SocketLogger = {
  readonly [level in 'debug' | 'info' | 'error']: (fields: LogFields, text: string) => void
}

type LogFields = { readonly err?: unknown; readonly closeCode?: number; readonly reason?: string }

/** What all sockets of a server share. */
export type SocketParts = {
  readonly handlers: SocketHandlers<unknown>
  readonly parse: (text: string) => unknown
  readonly timer: SharedTimer
  readonly logger: SocketLogger
}
