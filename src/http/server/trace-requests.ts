import type { ServerResponse } from 'node:http'
import type { Span } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Tracing } from '../../observability/tracing/tracing.ts'

/** Addresses whose answers are worth a span: probes are not. */
const TRACED = /^\/(graphql|webhooks)\b/

/**
 * A span for each answer of GraphQL, below the one that the client names, and in it one for the operation; and one for each
 * webhook, which belongs to no trace of ours. Called before the routes are added.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, readonly Span[]>()

  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers } = request
    const route = request.routeOptions.url ?? ''
    const part = TRACED.exec(route)?.[1]
    if (part !== undefined) {
      const answer = tracing.beginAnswer(`${method} ${route}`, part === 'graphql' ? headers : null)
      answer.setAttributes({ 'http.request.method': method, 'http.route': route })
      spans.set(request, [answer])
      endWith(request, reply.raw)
    }
    done()
  })
  // Here and not before, since reading the body leaves what a hook runs in.
  app.addHook('preHandler', (request, _reply, done) => {
    const [answer] = spans.get(request) ?? []
    if (answer === undefined) return done()
    return tracing.run(answer, () => {
      if (!request.routeOptions.url?.startsWith('/graphql')) return done()
      const operation = tracing.begin('graphql')
      spans.set(request, [answer, operation])
      return tracing.run(operation, done)
    })
  })

  /** A stream has no end that the framework knows of, and neither has an answer that nobody waits for. */
  function endWith(request: FastifyRequest, response: ServerResponse): void {
    response.once('close', () => {
      const [answer, operation] = spans.get(request) ?? []
      operation?.end()
      if (answer !== undefined) tracing.endAnswer(answer, response.statusCode)
    })
  }
}
