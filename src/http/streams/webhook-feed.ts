import { GraphQLError } from 'graphql'
import { hasScope, type Scope } from '../../access/caller.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { AnswerReader, AnswerStream } from '../../graphql/engine/request-outcome.ts'
import type { GraphqlEntrance } from '../graphql/graphql-entrance.ts'
import { httpError, refusalAnswer, refusalFor } from '../graphql/graphql-response.ts'
import type { Protection } from '../protection/protection.ts'
import { FEED_PATH } from '../server/graphql-exchange.ts'
import type { WebhookFeed } from '../webhooks/webhook-routes.ts'
import type { ResponseStreams } from './response-streams.ts'
import { EVENT_FRAMING } from './sse-streams.ts'

type WebhookFeedOptions = Pick<Protection, 'callerOf'> & {
  readonly engine: Pick<Engine, 'refuse'>
  readonly streams: Pick<ResponseStreams, 'reserve'>
  /** Whether real money moves. */
  readonly isProduction: boolean
}

/** A body is sent as it is, with all that any of these protects. */
const SCOPES: readonly Scope[] = [
  'webhooks:replay',
  'payments:pii',
  'payments:risk',
  'payments:card-token',
  'payouts:pii',
  'customers:pii',
]
const MOST_LISTENERS = 10
/** Webhooks that wait for a slow listener; of 64 KiB each at most. With more, its stream is interrupted. */
const MOST_WAITING = 100

/** Adds the address of the feed: server-sent events, one for each webhook from then on. Nothing is stored. */
export function addWebhookFeed(entrance: GraphqlEntrance, options: WebhookFeedOptions): WebhookFeed {
  const { callerOf, engine, streams, isProduction } = options
  const listeners = new Set<Listener>()
  entrance.add(FEED_PATH, {
    maxBytes: () => 0,
    async answer(exchange) {
      try {
        const caller = await callerOf(exchange)
        if (isProduction) throw forbidden('Webhooks of production are not forwarded: they contain data of payers.')
        if (!SCOPES.every((scope) => hasScope(caller, scope)))
          throw forbidden(`The token lacks a scope of: ${SCOPES.join(' ')}`)
        if (listeners.size >= MOST_LISTENERS) throw httpError('Too many listen.', 'TOO_MANY_OPERATIONS', 429)
        const carry = streams.reserve({ exchange, caller }, EVENT_FRAMING)
        if (carry instanceof GraphQLError) throw carry
        const listener = createListener(() => void listeners.delete(listener))
        listeners.add(listener)
        carry(listener)
      } catch (error) {
        entrance.send(exchange, refusalAnswer(exchange.request, refusalFor(error, engine)))
      }
    },
  })
  return {
    isOpen: () => listeners.size > 0,
    forward(webhook) {
      const json = JSON.stringify({ ...webhook, body: webhook.body.toString('base64') })
      for (const listener of listeners) listener.push(json)
    },
  }
}

function forbidden(message: string): GraphQLError {
  return httpError(message, 'FORBIDDEN', 403)
}

type Listener = AnswerStream & { push(json: string): void }

function createListener(onStop: () => void): Listener {
  const waiting: string[] = []
  let reader: AnswerReader | null = null
  let isOver = false
  const next = () => {
    const json = reader === null ? undefined : waiting.shift()
    if (json === undefined && !isOver) return
    const to = reader
    reader = null
    if (json === undefined) to?.end('interrupted')
    else to?.take({ json, cursor: null })
  }
  return {
    kind: 'stream',
    pull(pulling) {
      reader = pulling
      next()
    },
    push(json) {
      isOver ||= waiting.length >= MOST_WAITING
      if (!isOver) waiting.push(json)
      next()
    },
    stop: onStop,
  }
}
