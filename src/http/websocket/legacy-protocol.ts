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
