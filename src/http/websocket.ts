import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { GraphQLError, GraphQLSchema } from 'graphql'
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer, type WebSocket } from 'ws'
import { ANONYMOUS, expired, type Caller } from '../access/caller.ts'
import { TokenKeysUnavailableError } from '../access/errors.ts'
import type { TokenVerifier } from '../access/verify-token.ts'
import type { Context } from '../graphql/context.ts'
import type { ErrorFormatter } from '../graphql/errors.ts'
import type { createPrepareOperation } from '../graphql/prepare-operation.ts'
import { subscribeAfresh } from '../graphql/subscribe-afresh.ts'
import { callAt } from '../live/call-at.ts'
import type { Logger } from '../log.ts'
import { connectionToken } from './connection-token.ts'

export type WebSocketOptions = {
  readonly server: Server
  readonly schema: GraphQLSchema
  readonly prepare: ReturnType<typeof createPrepareOperation>
  readonly formatError: ErrorFormatter
  readonly verifier: TokenVerifier
  readonly contextFor: (caller: Caller, request: IncomingMessage) => Context
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  readonly logger: Logger
}

export type Sockets = {
  /** How many are open. */
  readonly count: number
  /** Ends every connection with 1012, so that clients come back to a process that runs. */
  close(): Promise<void>
}

const PATH = '/graphql'
const MAX_FRAME_BYTES = 64 * 1024
const INIT_TIMEOUT_MS = 3_000
const KEEP_ALIVE_MS = 12_000
/** How long a peer may take to answer the close frame. */
const GOODBYE_MS = 2_000
const EXPIRED: [number, string] = [CloseCode.Forbidden, 'Token expired']
const RESTART: [number, string] = [1012, 'Service restart']
const OVERLOAD: [number, string] = [1013, 'Try again later']

/** Subscriptions, queries and mutations over `graphql-transport-ws`. */
export function addWebSocket(options: WebSocketOptions): Sockets {
  const { server, schema, prepare, verifier, contextFor, logger } = options
  const shown = (errors: readonly GraphQLError[]) => errors.map((error) => options.formatError(error.toJSON(), error))
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, handleProtocols })
  const callers = new WeakMap<WebSocket, Caller>()
  const socketsOf = new WeakMap<Context, WebSocket>()
  let closing = false

  const protocol = useServer(
    {
      schema,
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: async ({ connectionParams, extra: { socket, request } }) => {
        const token = connectionToken(connectionParams, request.headers)
        if (token === null) return true
        try {
          const caller = await verifier.verify(token)
          callers.set(socket, caller)
          closeAtExpiry(socket, caller.expiresAt)
          return true
        } catch (error) {
          // Nothing is known about the token: the client is told to come back, not that it is refused.
          if (error instanceof TokenKeysUnavailableError) socket.close(...OVERLOAD)
          return false
        }
      },
      onSubscribe: ({ extra: { socket, request } }, _id, payload) => {
        const context = contextFor(callers.get(socket) ?? ANONYMOUS, request)
        socketsOf.set(context, socket)
        return prepare(payload, context)
      },
      subscribe: (args) => subscribeAfresh(args, () => socketsOf.get(args.contextValue as Context)?.close(...OVERLOAD)),
      onNext: (...[, , , , { data, errors }]) =>
        errors === undefined ? undefined : { data: data ?? null, errors: shown(errors) },
      // A stream that ends with its token must not look finished: after this code the client comes back for the rest.
      onComplete: ({ extra: { socket } }) => {
        if (expired(callers.get(socket) ?? ANONYMOUS, Date.now())) socket.close(...EXPIRED)
      },
      onError: (_context, _id, _payload, errors) => shown(errors),
    },
    sockets,
    KEEP_ALIVE_MS,
  )

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', (error) => logger.debug({ err: error }, 'a socket failed before it was upgraded'))
    if (closing) return refuse(socket, '503 Service Unavailable')
    if (pathOf(request) !== PATH) return refuse(socket, '404 Not Found')
    if (!options.isAllowedOrigin(request)) return refuse(socket, '403 Forbidden')
    return sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request))
  }
  server.on('upgrade', upgrade)

  return {
    get count() {
      return sockets.clients.size
    },
    async close() {
      closing = true
      for (const socket of sockets.clients) socket.close(...RESTART)
      const stragglers = setTimeout(() => sockets.clients.forEach((socket) => socket.terminate()), GOODBYE_MS)
      await protocol.dispose()
      clearTimeout(stragglers)
    },
  }
}

/** An unknown subprotocol is accepted for a moment, so that the library can close it with the code that says why. */
function handleProtocols(protocols: Set<string>): string | false {
  return protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false
}

/** Nothing is sent after the token has expired; the official client comes back with a new one after this code. */
function closeAtExpiry(socket: WebSocket, expiresAt: number): void {
  const cancel = callAt(expiresAt, () => socket.close(...EXPIRED))
  socket.once('close', cancel)
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? ''
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
