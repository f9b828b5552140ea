import type { IncomingMessage, ServerResponse } from 'node:http'
import { SIGNATURE_HEADER, SIGNATURE_HEADER_OF_CGI } from '../../webhooks/signature.ts'
import { WEBHOOK_KINDS, type WebhookHandlers, type WebhookKind } from '../../webhooks/subject-webhooks.ts'
import type { WebhookResponse } from '../../webhooks/webhook-handler.ts'
import type { FailedAttempts } from '../limits/failed-attempts.ts'
import type { HttpAnswer } from '../server/http-answer.ts'
import { RETRY_AFTER_S } from '../server/problem.ts'
import type { HttpServer, RequestHandler } from '../server/server.ts'
import type { TraceRequest } from '../server/trace-requests.ts'

export type WebhookRouteOptions = {
  readonly handlers: WebhookHandlers
  readonly failures: FailedAttempts
  /** The name under which a peer is counted. */
  readonly peerOf: (request: IncomingMessage) => string
  readonly trace: TraceRequest
  /** `milliseconds` since the request came. */
  readonly onAnswered: (kind: WebhookKind, response: WebhookResponse, milliseconds: number) => void
  readonly feed: WebhookFeed
}

/** Sends webhooks to those who listen at this process. */
export type WebhookFeed = {
  /** Whether anybody listens. */
  readonly isOpen: () => boolean
  readonly forward: (webhook: ForwardedWebhook) => void
}

/** A webhook as it arrived, for another subgraph to judge. */
export type ForwardedWebhook = {
  readonly kind: WebhookKind
  readonly path: string
  /** Names and values. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

const FORWARDED_HEADERS = ['content-type', SIGNATURE_HEADER, SIGNATURE_HEADER_OF_CGI]

/** Statuses of requests that failed authentication. */
const FAILED: ReadonlySet<number> = new Set([401, 404])

/** One text for every refusal, so that an attacker learns nothing from it. */
const TEXTS: Readonly<Record<'accepted' | 'refused', string>> = { accepted: 'ok', refused: 'refused' }

const TEXT = ['content-type', 'text/plain; charset=utf-8']
const NOWHERE: HttpAnswer = { status: 404, headers: TEXT, body: TEXTS.refused, closes: true }

/** The path that the payments API may be told as the merchant's own. */
const MERCHANT_PATH = '/webhooks/payments'

/** Adds the webhook URLs: the merchant's default one for payments, and one for each command that was sent. */
export function addWebhookRoutes(http: Pick<HttpServer, 'route' | 'send'>, options: WebhookRouteOptions): void {
  const { handlers, failures, peerOf, trace, onAnswered, feed } = options

  const forwarding =
    (kind: WebhookKind, ref: string | null, { headersDistinct }: IncomingMessage) =>
    (body: Buffer, isOurs: boolean) => {
      // What authorises callbacks of this subgraph's own commands is no business of others.
      const names = isOurs ? FORWARDED_HEADERS : [...FORWARDED_HEADERS, 'authorization']
      const headers = names.flatMap((name) => (headersDistinct[name] ?? []).map((value) => [name, value] as const))
      const path = ref === null ? MERCHANT_PATH : `/webhooks/${kind}/${encodeURIComponent(ref)}`
      feed.forward({ kind, path, headers, body })
    }

  const answer = async (request: IncomingMessage, response: ServerResponse, kind: WebhookKind, ref: string | null) => {
    const startedAt = performance.now()
    const suspect = failures.anyTooMany() && failures.tooMany(peerOf(request))
    const answered = await handlers[kind]({
      method: request.method ?? '',
      correlationId: ref,
      headers: request.headersDistinct,
      suspect,
      body: request,
      forward: feed.isOpen() ? forwarding(kind, ref, request) : null,
    })
    const { status } = answered
    onAnswered(kind, answered, performance.now() - startedAt)
    if (FAILED.has(status) && !answered.isAuthentic) failures.count(peerOf(request))
    const retryAfterS = status === 503 ? RETRY_AFTER_S : status === 429 ? failures.retryAfter() : null
    http.send(request, response, {
      status,
      headers: retryAfterS === null ? TEXT : [...TEXT, 'retry-after', String(retryAfterS)],
      body: status === 200 ? TEXTS.accepted : TEXTS.refused,
      // Of a refused webhook the body may have come or not: whether the connection ends must not depend on it.
      closes: answered.isUnread,
    })
  }

  const nowhere: RequestHandler = (request, response) => http.send(request, response, NOWHERE)
  const begin =
    (kind: WebhookKind, route: string): RequestHandler =>
    (request, response, { ref = null }) =>
      trace(request, response, route)(() => void answer(request, response, kind, ref))

  http.route('every', '/webhooks', nowhere)
  http.route('every', '/webhooks/*', nowhere)
  http.route('every', MERCHANT_PATH, begin('payments', MERCHANT_PATH))
  for (const kind of WEBHOOK_KINDS) {
    const path = `/webhooks/${kind}/:ref`
    http.route('every', path, begin(kind, path))
  }
}
