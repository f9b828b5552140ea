import type { FastifyRequest } from 'fastify'

/** Queries, mutations and subscriptions, answered once or with a stream of events. */
export const GRAPHQL_PATH = '/graphql'
export const EVENTS_PATH = '/graphql/stream'
/** No path below it is routed to another address. */
const WEBHOOK_PREFIX = '/webhooks/'

/** Whether a request is for one of the addresses of GraphQL. */
export function isGraphql(request: FastifyRequest): boolean {
  // The framework makes an object of a route's options each time somebody looks at them.
  if (request.raw.url?.startsWith(WEBHOOK_PREFIX) === true) return false
  const { url } = request.routeOptions
  return url === GRAPHQL_PATH || url === EVENTS_PATH
}
