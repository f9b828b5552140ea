import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'

/** How a connection is closed. */
export type Closing = readonly [code: number, reason: string]

/** Longest id of an operation, in bytes: clients send a number or a UUID of 36. */
export const MAX_ID_BYTES = 128

/** Close codes and reasons of the server. */
export const CLOSING = {
  duplicate: [CloseCode.SubscriberAlreadyExists, 'Subscriber already exists'],
  failed: [CloseCode.InternalServerError, 'Internal server error'],
  flood: [CloseCode.TooManyInitialisationRequests, 'Too many requests'],
  greetedTwice: [CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests'],
  longId: [CloseCode.BadRequest, 'The id of an operation has more than 128 bytes'],
  invalid: [CloseCode.BadRequest, 'Invalid message received'],
  notGreeted: [CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout'],
  overload: [1013, 'Try again later'],
  restart: [1012, 'Service restart'],
  subprotocol: [CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable'],
  tooEarly: [CloseCode.Unauthorized, 'Unauthorized'],
} as const satisfies Record<string, Closing>

/**
 * The subprotocol of subscriptions-transport-ws, which is not served. The library graphql-ws has the subprotocol `graphql-transport-ws`.
 * https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md
 */
export const LEGACY_PROTOCOL = 'graphql-ws'

/** The message with which that protocol refuses a connection. Its clients show the text, where they hide the code of a close frame. */
export const LEGACY_REFUSAL = JSON.stringify({
  type: 'connection_error',
  payload: {
    message:
      'The WebSocket subprotocol graphql-ws (of subscriptions-transport-ws) is not served here: use graphql-transport-ws (of graphql-ws).',
  },
})

/**
 * Selects a subprotocol. An unknown one is accepted at first, so that the socket can be closed with the code that says why. The legacy one is
 * selected: a browser fails a socket whose only subprotocol was not, and shows no code.
 */
export function selectProtocol(offered: ReadonlySet<string>): string | false {
  return [GRAPHQL_TRANSPORT_WS_PROTOCOL, LEGACY_PROTOCOL].find((known) => offered.has(known)) ?? false
}
