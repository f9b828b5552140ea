import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { OperationKind } from '../../graphql/engine/engine.ts'

/** A request of GraphQL over HTTP, and its response. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The text of its body; null before it was read, and of a GET. */
  body: string | null
  /** Null before it was read. A promise if its token is verified for the first time; it rejects if the token is not valid. */
  caller: Caller | Promise<Caller> | null
  /** Its place; null before it has begun. */
  turn: Turn | null
}

/** Queries, mutations and subscriptions, answered once or with a stream of events. */
export const GRAPHQL_PATH = '/graphql'
export const EVENTS_PATH = '/graphql/stream'
/** Webhooks as they arrive, for `payments-subgraph listen`. */
export const FEED_PATH = '/graphql/webhooks'

/** The place of an operation that has begun. */
export type Turn = {
  /**
   * Moves the operation, once it was parsed, to the places of its kind: a command waits for one of its own, and a stream needs none. Returns
   * the error if there are too many commands.
   */
  settle(kind: OperationKind): GraphQLError | null | Promise<GraphQLError | null>
  /** Gives the place back. Further calls have no effect. */
  end(): void
}
