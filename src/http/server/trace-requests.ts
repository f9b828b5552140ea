import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tracing } from '../../observability/tracing/tracing.ts'
import { GRAPHQL_PATH } from './graphql-exchange.ts'

/** Runs the answering of a request so that what it does is part of the request's trace. */
export type Traced = (answer: () => void) => void

/** Begins the trace of a request to a route. Called before its body is read, which loses the asynchronous context. */
export type TraceRequest = (request: IncomingMessage, response: ServerResponse, route: string) => Traced

const UNTRACED: Traced = (answer) => answer()

/**
 * Returns the function that traces requests: a span for each, until the connection of the response closes. That of a GraphQL request
 * is a child of the client's, with a child span for the operation; that of a webhook starts a new trace. Null records nothing.
 */
export function traceRequests(tracing: Tracing | null): TraceRequest {
  if (tracing === null) return () => UNTRACED
  return ({ method = '', headers }, response, route) => {
    const isGraphql = route.startsWith(GRAPHQL_PATH)
    const answering = tracing.beginAnswer(`${method} ${route}`, isGraphql ? headers : null)
    answering.setAttributes({ 'http.request.method': method, 'http.route': route })
    response.once('close', () => tracing.endAnswer(answering, response.statusCode))
    if (!isGraphql) return (answer) => tracing.run(answering, answer)
    return (answer) =>
      tracing.run(answering, () => {
        const operation = tracing.begin('graphql')
        response.once('close', () => operation.end())
        tracing.run(operation, answer)
      })
  }
}
