import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PaymentDoor, Verdict } from '../webhook/payment-door.ts'

export type WebhookRouteOptions = {
  readonly door: PaymentDoor
  readonly isDraining: () => boolean
  readonly onAnswered: (verdict: Verdict) => void
}

type Address = { Params: { ref?: string } }

/** Seconds after which a sender that was turned away should come again. */
const RETRY_AFTER_S = 5

/** One text for every refusal, so that it tells nothing to somebody who tries. */
const TEXTS: Readonly<Record<'accepted' | 'refused', string>> = { accepted: 'ok', refused: 'refused' }

/** The addresses that the service calls: the merchant's default one, and one for each link. */
export function addWebhookRoute(app: FastifyInstance, { door, isDraining, onAnswered }: WebhookRouteOptions): void {
  app.register(
    async (scope) => {
      // The door reads the raw bytes itself, after it has looked at the headers.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null))

      const handle = async (request: FastifyRequest<Address>, reply: FastifyReply) => {
        const verdict: Verdict = isDraining()
          ? { status: 503, outcome: null }
          : await door({
              method: request.method,
              ref: request.params.ref ?? null,
              headers: request.headers,
              body: request.raw,
            })
        onAnswered(verdict)
        if (verdict.status === 503) reply.header('retry-after', RETRY_AFTER_S)
        if (!request.raw.complete) reply.header('connection', 'close')
        return reply
          .code(verdict.status)
          .type('text/plain')
          .send(verdict.status === 200 ? TEXTS.accepted : TEXTS.refused)
      }

      scope.all<Address>('/payments', handle)
      scope.all<Address>('/payments/:ref', handle)
      scope.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send(TEXTS.refused))
    },
    { prefix: '/webhooks' },
  )
}
