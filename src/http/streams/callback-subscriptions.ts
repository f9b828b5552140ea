import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import { expired, type Caller } from '../../access/caller.ts'
import type { OperationRequest } from '../../graphql/admission/read-request.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import { type Answer, type AnswerStream, nextOf } from '../../graphql/engine/request-outcome.ts'
import { ROUTER_CHALLENGE } from '../../graphql/error-formatter.ts'
import type { Logger } from '../../observability/logger.ts'
import type { LimitUse } from '../../observability/metrics/metrics.ts'
import type { TokenEnds } from '../connections/token-end.ts'
import type { GraphqlEntrance } from '../graphql/graphql-entrance.ts'
import { httpError, refusalAnswer, type StreamCarrier, type StreamRequest } from '../graphql/graphql-response.ts'
import { tokenOf, type RouterCheck } from '../server/client-caller.ts'
import { RETRY_AFTER_S } from '../server/problem.ts'
import { createInterruptionTexts, type Interruption, type InterruptionTexts } from './response-streams.ts'
import {
  readCallback,
  type Callback,
  createRouterClient,
  PROTOCOL,
  PROTOCOL_HEADER,
  type CallbackMessage,
  type RouterClient,
} from './router-client.ts'

type CallbackSubscriptionOptions = Pick<GraphqlEntrance, 'send'> & {
  readonly engine: Pick<Engine, 'refuse'>
  /** Origins of routers that may be called. If empty, callbacks are off. */
  readonly origins: readonly string[]
  /** Whether a request carries a router's secret. */
  readonly isRouter: RouterCheck
  readonly tokenEnds: TokenEnds
  readonly logger: Logger
  readonly clock: () => Date
  readonly onTurnedAway: (reason: 'callback_subscriptions') => void
  readonly limits?: Partial<CallbackLimits>
}

export type CallbackLimits = {
  /** Maximum number of concurrent subscriptions of all routers. */
  readonly callbackSubscriptions: number
}

type CallbackSubscriptions = StreamCarrier & {
  /** Number of open subscriptions. */
  readonly count: number
  /** Returns how much of the limit is used. */
  limits(): Readonly<Record<'callback_subscriptions', LimitUse>>
  /** Ends every subscription and tells its router that it was interrupted. */
  close(): Promise<void>
}

const MAX_SUBSCRIPTIONS = 10_000
/** Milliseconds within which routers must accept the last message at shutdown. */
const GOODBYE_MS = 1_500
/** The Accept header by which routers request the protocol. */
const ACCEPTS = /callbackSpec\s*=\s*"?1\.0\b/i

const STRANGER = new GraphQLError('Callbacks require a router secret.', {
  extensions: { code: 'UNAUTHENTICATED', http: { status: 401, challenge: ROUTER_CHALLENGE } },
})
const REFUSALS = {
  malformed: httpError('The extension subscription cannot be read.', 'BAD_REQUEST', 400),
  foreign: httpError('The callback URL is not in CALLBACK_ORIGINS.', 'FORBIDDEN', 403),
  stranger: STRANGER,
  known: httpError('A subscription with this id already exists.', 'BAD_REQUEST', 400),
  full: httpError('There are too many subscriptions with callbacks.', 'UNAVAILABLE', 503, RETRY_AFTER_S),
  refused: httpError('The callback URL did not confirm the subscription.', 'BAD_REQUEST', 400),
  failed: httpError('The callback URL did not answer.', 'UNAVAILABLE', 503, RETRY_AFTER_S),
}

/**
 * Subscriptions over the HTTP callback protocol 1.0: no connection stays open, and each result is sent as a request to the router
 * (https://www.apollographql.com/docs/router/executing-operations/subscription-callback-protocol). Apollo Server's plugin is not
 * used: it exposes error messages, shares loaders between results, and connects to any address that a request names.
 */
export function createCallbackSubscriptions(options: CallbackSubscriptionOptions): CallbackSubscriptions {
  const { engine, send, tokenEnds, logger, clock } = options
  const most = options.limits?.callbackSubscriptions ?? MAX_SUBSCRIPTIONS
  const origins = new Set(options.origins)
  const router = createRouterClient(options.origins)
  const interruptions = createInterruptionTexts(engine)
  const reserved = new Set<string>()
  const running = new Set<RunningCallback>()
  let closing = false

  const admit = (asked: unknown, request: IncomingMessage): Callback | GraphQLError => {
    if (!options.isRouter(request)) return REFUSALS.stranger
    const callback = readCallback(asked, origins)
    if (typeof callback === 'string') return REFUSALS[callback]
    if (reserved.has(callback.id)) return REFUSALS.known
    if (reserved.size < most && !closing) return callback
    options.onTurnedAway('callback_subscriptions')
    return REFUSALS.full
  }

  const begin = async (
    callback: Callback,
    outcome: Answer | AnswerStream,
    { exchange, caller }: StreamRequest,
  ): Promise<void> => {
    // The protocol's check: the router confirms the subscription. If it does not, it can subscribe again.
    const confirmed = closing ? 'failed' : await router.send(callback, { action: 'check' })
    if (confirmed !== 'taken' || closing) {
      reserved.delete(callback.id)
      if (outcome.kind === 'stream') outcome.stop()
      const refusal = engine.refuse([REFUSALS[confirmed === 'refused' ? 'refused' : 'failed']])
      return send(exchange, refusalAnswer(exchange.request, refusal))
    }
    const token = tokenOf(exchange.request.headersDistinct)
    const parts = { callback, router, caller, token, tokenEnds, interruptions, logger, clock }
    const subscription = runCallback(outcome, parts)
    running.add(subscription)
    void subscription.ended.then(() => running.delete(subscription) && reserved.delete(callback.id))
    send(exchange, {
      status: 200,
      headers: [PROTOCOL_HEADER, PROTOCOL, 'content-type', 'application/json'],
      body: '{"data":null}',
    })
  }

  return {
    get count() {
      return running.size
    },
    limits: () => ({ callback_subscriptions: { used: reserved.size, maximum: most } }),
    accepts: ({ exchange: { request }, operation }) =>
      origins.size > 0 &&
      request.method === 'POST' &&
      ACCEPTS.test(request.headers.accept ?? '') &&
      wishIn(operation) !== undefined,
    reserve(asked) {
      const callback = admit(wishIn(asked.operation), asked.exchange.request)
      if (callback instanceof GraphQLError) return callback
      reserved.add(callback.id)
      return (outcome) => void begin(callback, outcome, asked)
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

/** Returns the `subscription` extension of an operation: the router's callback address and options. */
function wishIn({ extensions }: OperationRequest): unknown {
  return (extensions as { readonly subscription?: unknown } | null | undefined)?.subscription
}

type CallbackParts = {
  readonly callback: Callback
  readonly router: Pick<RouterClient, 'send'>
  readonly caller: Caller
  readonly token: string | null
  readonly tokenEnds: TokenEnds
  readonly interruptions: InterruptionTexts
  readonly logger: Logger
  readonly clock: () => Date
}

type RunningCallback = {
  /** Ends the subscription and tells the router that it was interrupted. */
  interrupt(): void
  /** Resolves when the last message has been sent or given up. */
  readonly ended: Promise<void>
}

/** Attempts for a message before the router counts as unreachable. */
const ATTEMPTS = 3
/** Milliseconds between the first two attempts; doubled after each. */
const RETRY_MS = 200
/** The fraction of the agreed interval after which a heartbeat is sent: some routers end the stream exactly at the interval. */
const HEARTBEAT_PART = 0.75

/**
 * Sends the results of one subscription to a router, one at a time: the next is executed after the last was accepted. Ends when the
 * router no longer has the subscription, or accepts a message in none of a few attempts. A message whose response was lost is sent
 * again; the router's clients recognise it by its cursor.
 */
function runCallback(outcome: Answer | AnswerStream, parts: CallbackParts): RunningCallback {
  const { callback, router, caller, token, tokenEnds, interruptions, logger, clock } = parts
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const stream = outcome.kind === 'stream' ? outcome : null
  let over = false
  let last: Promise<unknown> = Promise.resolve()

  const attempts = async (message: CallbackMessage): Promise<boolean> => {
    for (let attempt = 1; ; attempt += 1) {
      if (over && message.action !== 'complete') return false
      const reception = await router.send(callback, message)
      if (reception !== 'failed' || attempt === ATTEMPTS) return reception === 'taken'
      await sleep(RETRY_MS * attempt)
    }
  }
  /** Messages are sent one after another. */
  const tell = (message: CallbackMessage): Promise<boolean> => {
    const told = last.then(() => attempts(message))
    last = told
    return told
  }
  const finish = async (message: CallbackMessage | null) => {
    if (over) return
    over = true
    clearInterval(heartbeat)
    tokenEnds.unwatch(holder)
    stream?.stop()
    if (message !== null) await tell(message)
    resolve()
  }
  const interrupt = (reason: Interruption) => void finish({ action: 'complete', errors: interruptions[reason] })
  const holder = { caller, token, onTokenEnd: interrupt }

  let checking = false
  const check = async () => {
    if (checking) return
    checking = true
    if (!(await tell({ action: 'check' }))) await finish(null)
    checking = false
  }
  const heartbeat =
    callback.heartbeatMs === 0 ? undefined : setInterval(() => void check(), callback.heartbeatMs * HEARTBEAT_PART)
  tokenEnds.watch(holder)

  const run = async () => {
    if (outcome.kind === 'answer') return finish({ action: 'complete', errors: errorsIn(outcome.json) })
    while (!over) {
      const next = await nextOf(outcome)
      if (over) break
      if (next === 'interrupted') return interrupt('interrupted')
      if (next === 'complete')
        return expired(caller, clock().getTime()) ? interrupt('expired') : finish({ action: 'complete' })
      // The result that ends a stream has errors and no cursor.
      if (next.cursor === null) return finish({ action: 'complete', errors: errorsIn(next.json) })
      if (!(await tell({ action: 'next', payload: next.json }))) return finish(null)
    }
  }
  run().catch((error: unknown) => {
    logger.error({ err: error }, 'a subscription with callbacks failed')
    interrupt('interrupted')
  })
  return { ended, interrupt: () => interrupt('interrupted') }
}

/** Returns the list of errors of a result, as JSON. */
function errorsIn(json: string): string {
  return JSON.stringify((JSON.parse(json) as { readonly errors?: readonly unknown[] }).errors ?? [])
}
