import type { ServerResponse } from 'node:http'
import type { Span } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Tracing } from '../../observability/tracing/tracing.ts'

/** Paths whose requests get a span; probes get none. */
const TRACED = /^\/(graphql|webhooks)\b/

/**
 * Records a span for each GraphQL request, as a child of the client's, with a child span for the operation; and a span for each
 * webhook, which starts a new trace. Called before the routes are added.
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
  // Not in an earlier hook: reading the body loses the asynchronous context.
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

  /** Waits for the connection's `close`: the framework has no hook for the end of a stream or of an aborted response. */
  function endWith(request: FastifyRequest, response: ServerResponse): void {
    response.once('close', () => {
      const [answer, operation] = spans.get(request) ?? []
      operation?.end()
      if (answer !== undefined) tracing.endAnswer(answer, response.statusCode)
    })
  }
}
