import type {
  FastifyInstance,
  onRequestHookHandler,
  onSendHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify'

/** Queries, mutations and subscriptions, answered once or with a stream of events. */
export const GRAPHQL_PATH = '/graphql'
export const EVENTS_PATH = '/graphql/stream'

export type GraphqlHooks = {
  readonly onRequest: readonly onRequestHookHandler[]
  readonly preValidation: readonly preValidationHookHandler[]
  readonly onSend: readonly onSendHookHandler[]
}

/** Adds hooks to the GraphQL routes that are added later; they run before a route's own hooks. Other routes do not run them. */
export function addGraphqlHooks(app: FastifyInstance, { onRequest, preValidation, onSend }: GraphqlHooks): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (route.url !== GRAPHQL_PATH && route.url !== EVENTS_PATH) return
    route.onRequest = [...onRequest, ...[route.onRequest ?? []].flat()]
    route.preValidation = [...preValidation, ...[route.preValidation ?? []].flat()]
    route.onSend = [...onSend, ...[route.onSend ?? []].flat()]
  })
}
