import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebhookHandler, WebhookResponse } from '../../webhooks/webhook-handler.ts'
import type { FailedAttempts } from '../limits/flood-guard.ts'
import { peerName } from '../server/client-caller.ts'
import { RETRY_AFTER_S } from '../server/problem.ts'

export type WebhookRouteOptions = {
  /** Handlers by the first segment of their paths under /webhooks. */
  readonly handlers: Readonly<
    Record<'payments' | 'agreements' | 'payouts' | 'gateway-payments' | 'identity-checks', WebhookHandler>
  >
  readonly isDraining: () => boolean
  readonly failures: FailedAttempts
  readonly onAnswered: (response: WebhookResponse) => void
}

type Address = { Params: { ref?: string } }

/** Statuses of requests that failed authentication. */
const FAILED: ReadonlySet<number> = new Set([401, 404])

/** One text for every refusal, so that an attacker learns nothing from it. */
const TEXTS: Readonly<Record<'accepted' | 'refused', string>> = { accepted: 'ok', refused: 'refused' }

/** Adds the webhook URLs: the merchant's default one for payments, and one for each command that was sent. */
export function addWebhookRoutes(
  app: FastifyInstance,
  { handlers, isDraining, failures, onAnswered }: WebhookRouteOptions,
): void {
  app.register(
    async (scope) => {
      // The handler reads the raw bytes itself, after it has checked the headers.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null))

      const answerWith = (handle: WebhookHandler) => async (request: FastifyRequest<Address>, reply: FastifyReply) => {
        const peer = peerName(request.ip)
        const response: WebhookResponse = isDraining()
          ? { status: 503, outcome: null }
          : await handle({
              method: request.method,
              correlationId: request.params.ref ?? null,
              headers: request.raw.headersDistinct,
              suspect: failures.tooMany(peer),
              body: request.raw,
            })
        onAnswered(response)
        if (FAILED.has(response.status)) failures.count(peer)
        if (response.status === 503) reply.header('retry-after', RETRY_AFTER_S)
        if (response.status === 429) reply.header('retry-after', failures.retryAfter())
        // Of a refused webhook the body may have come or not: whether the connection ends must not depend on it.
        if (!request.raw.readableEnded) reply.header('connection', 'close')
        return reply
          .code(response.status)
          .type('text/plain')
          .send(response.status === 200 ? TEXTS.accepted : TEXTS.refused)
      }

      scope.all<Address>('/payments', answerWith(handlers.payments))
      for (const [name, handle] of Object.entries(handlers)) scope.all<Address>(`/${name}/:ref`, answerWith(handle))
      scope.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send(TEXTS.refused))
    },
    { prefix: '/webhooks' },
  )
}
