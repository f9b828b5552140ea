import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../access/caller.ts'
import { createTokenVerifier, type TokenVerifier } from '../access/verify-token.ts'
import { createContext, type Context } from '../graphql/context.ts'
import { createCallbackSubscriptions } from '../http/callback/callback-subscriptions.ts'
import { createAddressReader } from '../http/client-address.ts'
import { callerOf, createRouterCheck } from '../http/client-caller.ts'
import { addEventStreams } from '../http/event-streams.ts'
import { addGraphqlRoute } from '../http/graphql-route.ts'
import { addHealthRoutes } from '../http/health-routes.ts'
import { createOriginCheck } from '../http/origins.ts'
import type { DescribeOptions } from '../http/overload/describe-operation.ts'
import { createOperationTextReader } from '../http/overload/operation-text.ts'
import { addPageRoutes } from '../http/page-routes.ts'
import { addPages } from '../http/pages.ts'
import { protect, type Protection } from '../http/protection.ts'
import { closeHttpServer, createHttpServer } from '../http/server.ts'
import { traceRequests } from '../http/trace-requests.ts'
import { addWebhookRoutes } from '../http/webhook-routes.ts'
import { addWebSocket } from '../http/websocket.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { OpenStreams } from '../operations/health.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { AppConfig, TransportLimits } from './app-config.ts'
import type { Engine } from './engine.ts'
import type { Backend } from './services.ts'
import { addDemoShop } from './shop.ts'

export type Transports = {
  /** What clients have open. */
  open(): Omit<OpenStreams, 'subscriptions'>
  /** Gives the address where it listens. */
  listen(): Promise<string>
  /** Turns new work away, tells sockets to come back, and answers what is under way. */
  drain(): Promise<void>
}

type Parts = {
  readonly engine: Engine
  readonly backend: Backend
  readonly metrics: Metrics
  readonly tracing: Tracing | null
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits: Partial<TransportLimits>
}

/** What every way in shares. */
type Entrance = Parts &
  DescribeOptions & {
    readonly addressOf: ReturnType<typeof createAddressReader>
    readonly http: FastifyInstance
    readonly protection: Protection
    readonly verifier: TokenVerifier
    /** Whether a request has shown a router's secret; where none is set up nobody has, and nobody is given more than one client. */
    readonly isKnownRouter: (headers: IncomingHttpHeaders) => boolean
    readonly isAllowedOrigin: ReturnType<typeof createOriginCheck>
    readonly contextFor: (caller: Caller, request: { readonly headers: IncomingHttpHeaders }) => Context
    readonly isDraining: () => boolean
  }

/**
 * How long new requests are still answered, with 503, once a drain has begun, in milliseconds: what the system has accepted
 * for this process by then would be reset with the listening socket.
 */
const LINGER_MS = 100
/**
 * Connections that may wait to be taken up: Linux's own limit. Beyond Node's default of 511 a burst of clients has the
 * system drop those of the service, too, which then try again after a second, and after three.
 */
const BACKLOG = 4_096
/** Since the beginning of a drain, in milliseconds: the slowest body of a webhook has been answered by then. */
const LAST_ANSWER_MS = 11_000

/** Makes the server and every way in: GraphQL over HTTP, events, callbacks and sockets; webhooks, health and pages. */
export async function createTransports(config: AppConfig, parts: Parts): Promise<Transports> {
  let draining = false
  const entrance = await createEntrance(config, parts, () => draining)
  const { http } = entrance
  const { sockets, eventStreams, callbacks } = await addGraphql(config, entrance)
  addWebhooksAndHealth(entrance)
  addDemoShop(config, entrance)
  return {
    open: () => ({ sockets: sockets.count, eventStreams: eventStreams.count, callbacks: callbacks.count }),
    listen: () => http.listen({ host: config.http.host, port: config.http.port, backlog: BACKLOG }),
    async drain() {
      draining = true
      const until = performance.now() + LAST_ANSWER_MS
      await Promise.all([sockets.close(), eventStreams.close(), callbacks.close(), sleep(LINGER_MS)])
      await closeHttpServer(http, until - performance.now())
    },
  }
}

async function createEntrance(config: AppConfig, parts: Parts, isDraining: () => boolean): Promise<Entrance> {
  const { metrics, tracing, logger } = parts
  const { http: settings } = config
  const onTurnedAway = metrics.turnedAway
  const addressOf = createAddressReader(settings.limits.trustProxy)
  const { unreadMs } = parts.limits
  const http = await createHttpServer({ settings, isDraining, onTurnedAway, addressOf, unreadMs, logger })
  if (tracing !== null) traceRequests(http, tracing)
  const verifier = createTokenVerifier(config.clients, { log: logger })
  const isRouter = createRouterCheck(config.router)
  const isKnownRouter = config.router.kind === 'guarded' ? isRouter : () => false
  const describing = describeOperations(parts)
  return {
    ...parts,
    ...describing,
    http,
    verifier,
    addressOf,
    isKnownRouter,
    isDraining,
    protection: protect(http, {
      ...describing,
      addressOf,
      limits: settings.limits,
      authenticate: ({ headersDistinct }) => callerOf(headersDistinct, verifier),
      isRouter: isKnownRouter,
      onTurnedAway,
    }),
    isAllowedOrigin: createOriginCheck(settings.allowedOrigins),
    contextFor: (caller, { headers }) => createContext(parts.backend.services, caller, isRouter(headers)),
  }
}

/** What tells a mutation apart before it is parsed, and whether it is on record. */
function describeOperations({ engine, backend }: Parts): DescribeOptions {
  const { commands } = backend.services.store
  return {
    readOperation: createOperationTextReader({
      mutations: Object.keys(engine.schema.getMutationType()?.getFields() ?? {}),
      documentOf: engine.trustedDocument,
    }),
    async isRecorded(names) {
      for (const { mutation, key } of names) if ((await commands.find(mutation, key)) !== null) return true
      return false
    },
  }
}

/** One schema, one gate, and four ways to ask. */
async function addGraphql(config: AppConfig, entrance: Entrance) {
  const { http, engine, protection, contextFor, isAllowedOrigin, isDraining, logger, clock } = entrance
  const { prepare, formatError } = engine
  const { authenticate, overload } = protection
  const limits = { ...config.http.socketLimits, ...entrance.limits }
  const { addressOf, isRecorded, readOperation } = entrance
  const eventStreams = addEventStreams(http, {
    prepare,
    formatError,
    contextOf: async (request) => contextFor(await authenticate(request), request),
    isAllowedOrigin,
    addressOf,
    isRouter: entrance.isKnownRouter,
    isDraining,
    operationLimits: config.limits,
    logger,
    clock,
    limits,
  })
  const callbacks = createCallbackSubscriptions({
    origins: config.callbackOrigins,
    formatError,
    timeoutMs: config.limits.timeoutMs,
    logger,
    clock,
    limits: entrance.limits,
  })
  addGraphqlRoute(http, {
    ...engine,
    explorer: await addPagesFor(config, http),
    authenticate,
    contextFor,
    limits: config.limits,
    isDraining,
    subscribe: (subscription) => callbacks.takeOver(subscription) || eventStreams.takeOver(subscription),
  })
  const sockets = addWebSocket({
    ...engine,
    server: http.server,
    timeoutMs: config.limits.timeoutMs,
    verifier: entrance.verifier,
    contextFor,
    isRouter: ({ headers }) => entrance.isKnownRouter(headers),
    isAllowedOrigin,
    addressOf,
    overload,
    isRecorded,
    readOperation,
    logger,
    clock,
    limits,
  })
  return { eventStreams, callbacks, sockets }
}

/** The pages, where they have been built; gives the explorer, where one may be shown. */
async function addPagesFor({ upstream, production }: AppConfig, http: FastifyInstance) {
  const pages = await addPages(http)
  if (pages === null) return null
  const isSandbox = upstream.environment === 'sandbox' && !production
  addPageRoutes(http, { pages, sandboxOrigin: isSandbox ? new URL(upstream.url).origin : null })
  return production ? null : pages
}

function addWebhooksAndHealth({ http, backend, protection, metrics, isDraining }: Entrance): void {
  addWebhookRoutes(http, {
    doors: backend.doors,
    isDraining,
    failures: protection.failures,
    onAnswered: ({ status, outcome }) => {
      metrics.webhookAnswered(status, outcome?.disposition ?? 'none')
      if (outcome?.orphan !== undefined) metrics.orphanLinkPaid()
    },
  })
  addHealthRoutes(http, {
    ping: () => backend.services.store.ping(),
    isDraining,
    isOverloaded: protection.overload.isOverloaded,
    metrics: metrics.registry,
  })
}
