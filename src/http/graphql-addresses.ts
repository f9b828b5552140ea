import type { FastifyRequest } from 'fastify'

/** Queries, mutations and subscriptions, answered once or with a stream of events. */
export const GRAPHQL_PATH = '/graphql'
export const EVENTS_PATH = '/graphql/stream'

/** Whether a request is for one of the addresses of GraphQL. */
export function isGraphql({ routeOptions: { url } }: FastifyRequest): boolean {
  return url === GRAPHQL_PATH || url === EVENTS_PATH
}
