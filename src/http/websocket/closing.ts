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
