import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebhookHandler, WebhookResponse } from '../../webhooks/webhook-handler.ts'
import type { FailedAttempts } from '../limits/flood-guard.ts'
import { type DirectAnswer, type DirectAnswers, RETRY_AFTER_S } from '../server/direct-answers.ts'
import type { TraceRequest } from '../server/trace-requests.ts'

export type WebhookRouteOptions = {
  /** Handlers by the first segment of their paths under /webhooks. */
  readonly handlers: Readonly<
    Record<'payments' | 'agreements' | 'payouts' | 'gateway-payments' | 'identity-checks', WebhookHandler>
  >
  readonly isDraining: () => boolean
  readonly failures: FailedAttempts
  /** The name under which a peer is counted. */
  readonly peerOf: (request: IncomingMessage) => string
  readonly trace: TraceRequest
  readonly onAnswered: (response: WebhookResponse) => void
}

/** Statuses of requests that failed authentication. */
const FAILED: ReadonlySet<number> = new Set([401, 404])

/** One text for every refusal, so that an attacker learns nothing from it. */
const TEXTS: Readonly<Record<'accepted' | 'refused', string>> = { accepted: 'ok', refused: 'refused' }

const TEXT = ['content-type', 'text/plain; charset=utf-8']
const NOWHERE: DirectAnswer = { status: 404, headers: TEXT, body: TEXTS.refused, closes: true }

/** The path that the payments API may be told as the merchant's own, and those that are made for one object. */
const PATH = /^\/webhooks\/([a-z-]+)(?:\/([\w.~%-]{1,100}))?$/
const MERCHANT_PATH = '/webhooks/payments'

/** Adds the webhook URLs: the merchant's default one for payments, and one for each command that was sent. */
export function addWebhookRoutes(direct: DirectAnswers, options: WebhookRouteOptions): void {
  const { handlers, isDraining, failures, peerOf, trace, onAnswered } = options
  const known = new Map<string, WebhookHandler>(Object.entries(handlers))

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    handle: WebhookHandler,
    ref: string | null,
  ) => {
    const suspect = failures.anyTooMany() && failures.tooMany(peerOf(request))
    const answered: WebhookResponse = isDraining()
      ? UNAVAILABLE
      : await handle({
          method: request.method ?? '',
          correlationId: ref,
          headers: request.headersDistinct,
          suspect,
          body: request,
        })
    const { status } = answered
    onAnswered(answered)
    if (FAILED.has(status)) failures.count(peerOf(request))
    const retryAfterS = status === 503 ? RETRY_AFTER_S : status === 429 ? failures.retryAfter() : null
    direct.send(request, response, {
      status,
      headers: retryAfterS === null ? TEXT : [...TEXT, 'retry-after', String(retryAfterS)],
      body: status === 200 ? TEXTS.accepted : TEXTS.refused,
      // Of a refused webhook the body may have come or not: whether the connection ends must not depend on it.
      closes: answered.isUnread,
    })
  }

  direct.handle('/webhooks', (request, response, path) => {
    const [, name = '', ref = null] = PATH.exec(path) ?? []
    const handle = ref !== null || path === MERCHANT_PATH ? known.get(name) : undefined
    if (handle === undefined) {
      direct.send(request, response, NOWHERE)
      return true
    }
    const route = ref === null ? MERCHANT_PATH : `/webhooks/${name}/:ref`
    trace(request, response, route)(() => void answer(request, response, handle, ref))
    return true
  })
}

/** The answer while the process drains. */
const UNAVAILABLE: WebhookResponse = { status: 503, outcome: null, isUnread: true }
