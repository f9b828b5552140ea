import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Door, Verdict } from '../webhook/door.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { peerName } from './peer.ts'

export type WebhookRouteOptions = {
  /** The doors by the first segment of their addresses under /webhooks. */
  readonly doors: Readonly<Record<'payments' | 'agreements' | 'payouts' | 'gateway-payments', Door>>
  readonly isDraining: () => boolean
  readonly failures: FailedAttempts
  readonly onAnswered: (verdict: Verdict) => void
}

type Address = { Params: { ref?: string } }

/** Seconds after which a sender that was turned away should come again. */
const RETRY_AFTER_S = 5

/** Refusals that say that the sender could not be told from a stranger. */
const FAILED: ReadonlySet<number> = new Set([401, 404])

/** One text for every refusal, so that it tells nothing to somebody who tries. */
const TEXTS: Readonly<Record<'accepted' | 'refused', string>> = { accepted: 'ok', refused: 'refused' }

/** The addresses that the service calls: the merchant's default one for payments, and one for each thing that we asked for. */
export function addWebhookRoutes(
  app: FastifyInstance,
  { doors, isDraining, failures, onAnswered }: WebhookRouteOptions,
): void {
  app.register(
    async (scope) => {
      // The door reads the raw bytes itself, after it has looked at the headers.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null))

      const through = (door: Door) => async (request: FastifyRequest<Address>, reply: FastifyReply) => {
        const peer = peerName(request.ip)
        const verdict: Verdict = isDraining()
          ? { status: 503, outcome: null }
          : await door({
              method: request.method,
              ref: request.params.ref ?? null,
              headers: request.raw.headersDistinct,
              suspect: failures.tooMany(peer),
              body: request.raw,
            })
        onAnswered(verdict)
        if (FAILED.has(verdict.status)) failures.count(peer)
        if (verdict.status === 503) reply.header('retry-after', RETRY_AFTER_S)
        if (verdict.status === 429) reply.header('retry-after', failures.retryAfter())
        if (!request.raw.complete) reply.header('connection', 'close')
        return reply
          .code(verdict.status)
          .type('text/plain')
          .send(verdict.status === 200 ? TEXTS.accepted : TEXTS.refused)
      }

      scope.all<Address>('/payments', through(doors.payments))
      for (const [name, door] of Object.entries(doors)) scope.all<Address>(`/${name}/:ref`, through(door))
      scope.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send(TEXTS.refused))
    },
    { prefix: '/webhooks' },
  )
}
