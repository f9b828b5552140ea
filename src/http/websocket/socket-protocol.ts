import type { IncomingMessage } from 'node:http'
import { GraphQLError, OperationTypeNode, type GraphQLSchema } from 'graphql'
import { makeServer, type Server as Protocol } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { ANONYMOUS, expired, type Caller } from '../../access/caller.ts'
import { TokenKeysUnavailableError } from '../../access/errors.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { SocketLimits } from '../../config/socket-limits.ts'
import type { OperationGate, PreparedOperation } from '../../graphql/admission/admission.ts'
import type { Context } from '../../graphql/context.ts'
import { executeInTime } from '../../graphql/deadline.ts'
import type { ErrorFormatter } from '../../graphql/errors.ts'
import { subscribeAfresh } from '../../graphql/subscribe-afresh.ts'
import type { Logger } from '../../log.ts'
import { problem } from '../problem.ts'
import { createQuota } from '../quota.ts'
import type { OnTokenEnd, TokenEndReason } from '../token-end.ts'
import { CLOSING, type Extra } from './carry-socket.ts'
import { connectionToken } from './connection-token.ts'
import type { OperationKind } from './socket-operations.ts'

export type SocketProtocolOptions = {
  readonly schema: GraphQLSchema
  readonly prepare: OperationGate['prepare']
  /** How long the answer to a query or a mutation may take, in milliseconds. */
  readonly timeoutMs: number
  readonly formatError: ErrorFormatter
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly onTokenEnd: OnTokenEnd
  readonly contextFor: (caller: Caller, request: IncomingMessage) => Context
  /** Whether a socket was opened with the router's secret. */
  readonly isRouter: (request: IncomingMessage) => boolean
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits: SocketLimits
  /** Who has shown a token on which socket. */
  readonly callers: WeakMap<WebSocket, Caller>
}

/** What is said over a socket: who the caller is, what they may run, and what they see of its errors. */
export function createSocketProtocol(options: SocketProtocolOptions): Protocol<Extra> {
  const { schema, prepare, verifier, contextFor, isRouter, callers, limits, logger, clock } = options
  const shown = (errors: readonly GraphQLError[]) => errors.map((error) => options.formatError(error.toJSON(), error))
  const subjects = createQuota(limits.perSubject)
  const socketsOf = new WeakMap<Context, WebSocket>()
  // After 4403 the official client comes back with a new token. A router has no other than the one of the socket: it would
  // try that again for half a minute, and say nothing to its client.
  const closeEnded = ({ socket, request }: Extra, why: TokenEndReason) => {
    const [code, reason] = isRouter(request) ? CLOSING.unauthorized : CLOSING[why]
    socket.close(code, reason)
  }

  return makeServer<Record<string, unknown>, Extra>({
    schema,
    connectionInitWaitTimeout: limits.initMs,
    onConnect: async ({ connectionParams, extra }) => {
      const { socket, request } = extra
      const token = connectionToken(connectionParams, request.headersDistinct)
      if (token === null) return true
      try {
        const caller = await verifier.verify(token)
        // It may have gone in the meantime: then nothing is to be kept for it.
        if (socket.readyState !== socket.OPEN) return false
        const leave = caller.identity === null ? undefined : subjects.take(caller.identity)
        if (leave === null) {
          logger.warn({ reason: 'subject' }, 'a socket was refused: too many are open')
          socket.close(...CLOSING.overload)
          return false
        }
        if (leave !== undefined) socket.once('close', leave)
        callers.set(socket, caller)
        socket.once(
          'close',
          options.onTokenEnd(caller, token, (why) => closeEnded(extra, why)),
        )
        return true
      } catch (error) {
        // Nothing is known about the token: the client is told to come back, not that it is refused.
        if (error instanceof TokenKeysUnavailableError) socket.close(...CLOSING.overload)
        else if (isRouter(request)) socket.close(...CLOSING.unauthorized)
        return false
      }
    },
    onSubscribe: ({ extra: { socket, request, admit, isRefused, limits: own } }, id, payload) => {
      const context = contextFor(callers.get(socket) ?? ANONYMOUS, request)
      socketsOf.set(context, socket)
      const prepared = prepare(payload, context)
      if (!('document' in prepared)) return prepared
      const kind = kindOf(prepared)
      if (!admit(id, kind)) return [tooMany(own.streams)]
      return isRefused(id) ? overloaded() : prepared
    },
    execute: (args) => executeInTime(args, options.timeoutMs),
    subscribe: (args) =>
      subscribeAfresh(args, () => socketsOf.get(args.contextValue as Context)?.close(...CLOSING.overload)),
    onNext: (...[{ extra }, id, , , { data, errors }]) => {
      extra.answered(id)
      return errors === undefined ? undefined : { data: data ?? null, errors: shown(errors) }
    },
    // A stream that ends with its token must not look finished: after the code the client comes back for the rest.
    onComplete: ({ extra }) => {
      if (expired(callers.get(extra.socket) ?? ANONYMOUS, clock().getTime())) closeEnded(extra, 'expired')
    },
    onError: ({ extra }, id, _payload, errors) => {
      extra.answered(id)
      return shown(errors)
    },
  })
}

function kindOf({ operation }: PreparedOperation): OperationKind {
  return operation.operation === OperationTypeNode.SUBSCRIPTION ? 'stream' : 'other'
}

function overloaded(): GraphQLError[] {
  return problem(503).errors.map(({ message, extensions }) => new GraphQLError(message, { extensions }))
}

function tooMany(limit: number): GraphQLError {
  return new GraphQLError(`A socket carries at most ${limit} streams, and as many other operations, at once.`, {
    extensions: { code: 'TOO_MANY_OPERATIONS' },
  })
}
