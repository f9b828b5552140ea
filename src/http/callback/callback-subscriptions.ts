import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { ROUTER_CHALLENGE, type ErrorFormatter } from '../../graphql/errors.ts'
import { operationResults } from '../../graphql/operation-results.ts'
import type { Logger } from '../../log.ts'
import { tokenOf } from '../client-caller.ts'
import type { HttpSubscription } from '../graphql/graphql-route.ts'
import type { OnTokenEnd } from '../token-end.ts'
import { readCallback, type Callback } from './callback.ts'
import { createRouterClient, PROTOCOL, PROTOCOL_HEADER } from './router-client.ts'
import { runCallback, type RunningCallback } from './run-callback.ts'

export type CallbackOptions = {
  /** The origins of routers; none turns callbacks off. */
  readonly origins: readonly string[]
  /** Whether a request has shown a router's secret. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onTokenEnd: OnTokenEnd
  readonly formatError: ErrorFormatter
  /** How long an answer may take, in milliseconds. */
  readonly timeoutMs: number
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits?: Partial<CallbackLimits>
}

export type CallbackLimits = {
  /** Subscriptions that routers may have at once. */
  readonly callbackSubscriptions: number
}

export type CallbackSubscriptions = {
  /** How many are open. */
  readonly count: number
  /** Takes over a subscription whose answers a router wants to be told at an address of its own. */
  takeOver(subscription: HttpSubscription): boolean
  /** Tells every router that its streams are interrupted. */
  close(): Promise<void>
}

const MAX_SUBSCRIPTIONS = 10_000
/** How long routers may take to be told of the end, in milliseconds. */
const GOODBYE_MS = 1_500
/** How routers say that they speak the protocol. */
const ACCEPTS = /callbackSpec\s*=\s*"?1\.0\b/i

type Refusal = { readonly status: number; readonly code: string; readonly message: string }

const REFUSALS = {
  malformed: { status: 400, code: 'BAD_REQUEST', message: 'The extension subscription cannot be read.' },
  foreign: { status: 403, code: 'FORBIDDEN', message: 'The callback address is not one of the routers known here.' },
  stranger: { status: 401, code: 'UNAUTHENTICATED', message: 'Callbacks need the secret of the router.' },
  known: { status: 400, code: 'BAD_REQUEST', message: 'There is a subscription with this id.' },
  full: { status: 503, code: 'UNAVAILABLE', message: 'There are too many subscriptions with callbacks.' },
  refused: { status: 400, code: 'BAD_REQUEST', message: 'The callback address did not confirm the subscription.' },
  failed: { status: 503, code: 'UNAVAILABLE', message: 'The callback address did not answer.' },
} as const satisfies Record<string, Refusal>

/**
 * Subscriptions over the HTTP callback protocol, 1.0: no connection is held, and each answer is a request to the router
 * (https://www.apollographql.com/docs/router/executing-operations/subscription-callback-protocol). Apollo Server's plugin for
 * it shows the texts of errors, shares loaders between items, and connects to wherever a request says.
 */
export function createCallbackSubscriptions(options: CallbackOptions): CallbackSubscriptions {
  const { formatError, timeoutMs, logger, clock } = options
  const most = options.limits?.callbackSubscriptions ?? MAX_SUBSCRIPTIONS
  const origins = new Set(options.origins)
  const router = createRouterClient(options.origins)
  const reserved = new Set<string>()
  const running = new Set<RunningCallback>()
  let closing = false

  const admit = (asked: unknown, headers: IncomingHttpHeaders): Callback | Refusal => {
    if (!options.isRouter(headers)) return REFUSALS.stranger
    const callback = readCallback(asked, origins)
    if (typeof callback === 'string') return REFUSALS[callback]
    if (reserved.has(callback.id)) return REFUSALS.known
    return reserved.size >= most || closing ? REFUSALS.full : callback
  }

  const begin = async (callback: Callback, subscribed: HttpSubscription): Promise<Refusal | null> => {
    const { request, prepared, context } = subscribed
    reserved.add(callback.id)
    // The router may be slow to learn what it has asked for itself; it asks again if it still wants it.
    const confirmed = closing ? 'failed' : await router.send(callback, { action: 'check' })
    if (confirmed !== 'taken' || closing) {
      reserved.delete(callback.id)
      return REFUSALS[confirmed === 'refused' ? 'refused' : 'failed']
    }
    const subscription = runCallback({
      callback,
      router,
      caller: context.caller,
      onTokenEnd: (action) => options.onTokenEnd(context.caller, tokenOf(request.raw.headersDistinct), action),
      start: (onFailure) =>
        operationResults(prepared, {
          formatError,
          timeoutMs,
          onFailure: (error) => {
            logger.error({ err: error }, 'the source of a stream failed')
            onFailure()
          },
        }),
      formatError,
      logger,
      clock,
    })
    running.add(subscription)
    void subscription.ended.then(() => running.delete(subscription) && reserved.delete(callback.id))
    return null
  }

  return {
    get count() {
      return running.size
    },
    takeOver(subscribed) {
      const { request, reply, operation } = subscribed
      if (origins.size === 0 || request.method !== 'POST' || !ACCEPTS.test(request.headers.accept ?? '')) return false
      const wish = (operation.extensions as { readonly subscription?: unknown } | null | undefined)?.subscription
      if (wish === undefined) return false
      const admitted = admit(wish, request.headers)
      if ('status' in admitted) void refuse(reply, admitted)
      else
        void begin(admitted, subscribed).then((refusal) =>
          refusal === null
            ? reply.header(PROTOCOL_HEADER, PROTOCOL).type('application/json').send('{"data":null}')
            : refuse(reply, refusal),
        )
      return true
    },
    async close() {
      closing = true
      for (const subscription of running) subscription.interrupt()
      const told = Promise.all([...running].map(({ ended }) => ended))
      await Promise.race([told, sleep(GOODBYE_MS, undefined, { ref: false })])
      await router.close()
      await told
    },
  }
}

function refuse(reply: FastifyReply, { status, code, message }: Refusal): FastifyReply {
  if (status === 401) reply.header('www-authenticate', ROUTER_CHALLENGE)
  return reply.code(status).send({ errors: [{ message, extensions: { code } }] })
}
