import { CloseCode } from 'graphql-ws'

/** Close codes and reasons of the server. */
export const CLOSING = {
  duplicate: [CloseCode.SubscriberAlreadyExists, 'Subscriber already exists'],
  expired: [CloseCode.Forbidden, 'Token expired'],
  failed: [CloseCode.InternalServerError, 'Internal server error'],
  flood: [CloseCode.TooManyInitialisationRequests, 'Too many requests'],
  forbidden: [CloseCode.Forbidden, 'Forbidden'],
  greetedTwice: [CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests'],
  invalid: [CloseCode.BadRequest, 'Invalid message received'],
  notGreeted: [CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout'],
  overload: [1013, 'Try again later'],
  restart: [1012, 'Service restart'],
  subprotocol: [CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable'],
  tooEarly: [CloseCode.Unauthorized, 'Unauthorized'],
  unauthorized: [CloseCode.Unauthorized, 'Token not valid'],
  withdrawn: [CloseCode.Forbidden, 'Token no longer valid'],
} as const satisfies Record<string, readonly [code: number, reason: string]>

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
