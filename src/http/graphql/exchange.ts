import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../access/caller.ts'

/** A request of GraphQL over HTTP, and its response. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The text of its body; null before it was read, and of a GET. */
  body: string | null
  /** Null before it was read. A promise if its token is verified for the first time; it rejects if the token is not valid. */
  caller: Caller | Promise<Caller> | null
  /** Marks the request as ended for the overload protection; null before it was admitted. */
  endAdmission: (() => void) | null
}

/** Queries, mutations and subscriptions, answered once or with a stream of events. */
export const GRAPHQL_PATH = '/graphql'
export const EVENTS_PATH = '/graphql/stream'
