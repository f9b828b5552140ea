import type { IncomingMessage } from 'node:http'
import type { Caller } from './access/caller.ts'
import { createTokenVerifier } from './access/verify-token.ts'
import type { Config, UpstreamConfig } from './config.ts'
import { startApollo } from './graphql/apollo.ts'
import { createContext, type Services } from './graphql/context.ts'
import { createErrorFormatter } from './graphql/errors.ts'
import { MAX_TOKENS, type OperationPolicy } from './graphql/operation-policy.ts'
import { createPrepareOperation } from './graphql/prepare-operation.ts'
import { createSchema } from './graphql/schema.ts'
import { loadTrustedDocuments } from './graphql/trusted-documents.ts'
import { callerOf, createRouterCheck } from './http/client-caller.ts'
import { addGraphqlRoute } from './http/graphql-route.ts'
import { addHealthRoutes } from './http/health-routes.ts'
import { createOriginCheck } from './http/origins.ts'
import { createHttpServer } from './http/server.ts'
import { addWebhookRoutes } from './http/webhook-routes.ts'
import { addWebSocket } from './http/websocket.ts'
import type { Logger } from './log.ts'
import { createMetrics } from './metrics.ts'
import { startServices } from './services.ts'

/** A configuration that names the service: the built-in sandbox has been started, where it was asked for. */
export type AppConfig = Omit<Config, 'upstream'> & { readonly upstream: Extract<UpstreamConfig, { kind: 'service' }> }

export type App = {
  /** Where it listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string
  /** Waits until no read of the service is under way. */
  settle(): Promise<void>
  /**
   * Drains: new work is turned away, sockets are told to come back, what is under way is finished and stored. A second
   * call waits for the first.
   */
  close(): Promise<void>
}

export type AppOptions = {
  readonly logger: Logger
  readonly clock?: () => Date
  /** Called when the app cannot go on: what it has acknowledged is safe, and a new start is needed. */
  readonly onFatal?: () => void
}

/** The composition root: everything is made here, once, and handed to what needs it. Tests and production call it alike. */
export async function createApp(
  config: AppConfig,
  { logger, clock = () => new Date(), onFatal = () => {} }: AppOptions,
): Promise<App> {
  let url = config.http.publicUrl
  let draining = false
  const isDraining = () => draining

  const backend = await startServices(config, { logger, clock, onFatal, publicUrl: () => url })
  const schema = createSchema({ production: config.production })
  const policy = policyOf(config)
  const apollo = await startApollo({ schema, policy, production: config.production, logger })
  const verifier = createTokenVerifier(config.clients)
  const trusted = config.trustedDocuments === null ? null : loadTrustedDocuments(config.trustedDocuments)
  const contextFor = createContextMaker(config, backend.services)
  const prepare = createPrepareOperation({ schema, policy, trusted })

  const http = await createHttpServer({ allowedOrigins: config.http.allowedOrigins, isDraining, logger })
  addGraphqlRoute(http, { apollo, authenticate: ({ headers }) => callerOf(headers, verifier), contextFor, trusted })
  const sockets = addWebSocket({
    server: http.server,
    schema,
    prepare,
    formatError: createErrorFormatter(logger, config),
    verifier,
    contextFor,
    isAllowedOrigin: createOriginCheck(config.http.allowedOrigins),
    logger,
  })
  const metrics = createMetrics({ sockets: () => sockets.count, streams: () => backend.services.tail.listeners })
  addWebhookRoutes(http, {
    doors: backend.doors,
    isDraining,
    onAnswered: ({ status, outcome }) => metrics.webhookAnswered(status, outcome?.disposition ?? 'none'),
  })
  addHealthRoutes(http, { ping: () => backend.services.store.ping(), isDraining, metrics: metrics.registry })

  const listening = await http.listen({ host: config.http.host, port: config.http.port })
  if (config.http.port === 0) url = listening
  backend.start()

  const drain = async () => {
    draining = true
    await sockets.close()
    await http.close()
    await apollo.stop()
    await backend.close()
  }
  let drained: Promise<void> | null = null
  return { url: listening, settle: () => backend.settle(), close: () => (drained ??= drain()) }
}

function policyOf(config: AppConfig): OperationPolicy {
  return {
    maxTokens: MAX_TOKENS,
    introspection: !config.production,
    routerOnly: config.router.kind === 'guarded',
  }
}

function createContextMaker({ router }: AppConfig, services: Services) {
  const isRouter = createRouterCheck(router)
  return (caller: Caller, { headers }: Pick<IncomingMessage, 'headers'>) =>
    createContext(services, caller, isRouter(headers))
}
