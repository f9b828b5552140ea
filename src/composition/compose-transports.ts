import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { createHostCheck } from 'payments-subgraph-lib/known-hosts'
import { createTokenVerifier, type TokenVerifier } from '../access/verify-token.ts'
import { hostNames } from '../config.ts'
import {
  type AdminServer,
  createAdminServer,
  addHealthRoutes,
  type HealthOptions,
  addMetricsRoute,
} from '../http/admin/admin-server.ts'
import { createCallbackSubscriptions } from '../http/callback/callback-subscriptions.ts'
import { createTokenEnds, type TokenEnds } from '../http/connections/token-end.ts'
import { addExportRoute } from '../http/exports/export-route.ts'
import { GRAPHQL_PATH } from '../http/graphql/graphql-body.ts'
import { createGraphqlEntrance } from '../http/graphql/graphql-entrance.ts'
import { addGraphqlRoute } from '../http/graphql/graphql-route.ts'
import { multipartCarrier } from '../http/multipart/multipart-streams.ts'
import { addPageRoutes, addPages } from '../http/pages/pages.ts'
import { createResponseStreams } from '../http/response-streams/response-streams.ts'
import {
  createAddressReader,
  createCallerReader,
  createPeerReader,
  createRouterCheck,
  type RouterCheck,
} from '../http/server/client-caller.ts'
import { protect, type Protection } from '../http/server/protection.ts'
import { closeHttpServer, createHttpServer, type HttpServer } from '../http/server/server.ts'
import { type TraceRequest, traceRequests } from '../http/server/trace-requests.ts'
import { addEventStreams, eventStreamCarrier } from '../http/sse/sse-streams.ts'
import { addUploadRoutes } from '../http/uploads/upload-routes.ts'
import { addWebhookRoutes } from '../http/webhooks/webhook-routes.ts'
import { addWebSocket } from '../http/websocket/websocket.ts'
import type { PaymentsOpenStreams } from '../lookups/health.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { StartedEngine } from './compose-engine.ts'
import { addShop, type CreateShop, emulatorOrigin } from './compose-shop.ts'
import type { Metrics } from './metrics.ts'
import type { AppConfig, TransportLimits, Backend } from './services.ts'

export type Transports = {
  /** Returns the number of open sockets and streams of clients. */
  open(): Omit<PaymentsOpenStreams, 'subscriptions'>
  /** Starts listening. Returns the URL for clients, and that of the separate server for metrics and probes, if there is one. */
  listen(): Promise<{ readonly url: string; readonly adminUrl: string | null }>
  /** Makes the probes report that the process is ready. */
  setReady(): void
  /** Fetches the verification keys of client tokens again, and ends the streams whose token is no longer valid. */
  refetchTokenKeys(): Promise<void>
  /** Rejects new work, asks sockets to reconnect elsewhere, and finishes the requests in progress. */
  drain(): Promise<void>
}

type Parts = {
  readonly engine: StartedEngine
  readonly backend: Backend
  readonly metrics: Metrics
  readonly tracing: Tracing | null
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits: Partial<TransportLimits>
  readonly shop: CreateShop | undefined
}

/** What all transports share. */
type Entrance = Parts &
  Phase &
  HttpServer & {
    readonly addressOf: ReturnType<typeof createAddressReader>
    readonly trace: TraceRequest
    readonly peerOf: ReturnType<typeof createPeerReader>
    readonly protection: Protection
    readonly verifier: TokenVerifier
    readonly tokenEnds: TokenEnds
    /**
     * Whether a request contains a router's secret. If no secret is configured this is always false, so that no request gets the
     * limits of a router.
     */
    readonly isKnownRouter: RouterCheck
    /** Whether a request contains a router's secret, or none is required. */
    readonly isFromRouter: RouterCheck
  }

/** Whether the process is starting or draining. */
type Phase = Pick<HealthOptions, 'isStarting' | 'isDraining'>

/**
 * How long new requests are still answered, with 503, after a drain has begun, in milliseconds: connections that the system has
 * accepted by then would otherwise be reset with the listening socket.
 */
const LINGER_MS = 100
/**
 * Backlog of connections to accept: Linux's own limit. With Node's default of 511, a burst of clients makes the system drop
 * connections of the payments API as well, which then retries after one second, and after three.
 */
const BACKLOG = 4_096
/** Time limit in milliseconds from the beginning of a drain: by then even the slowest webhook body has been answered. */
const LAST_ANSWER_MS = 11_000

/** Creates the server and all transports: GraphQL over HTTP, event streams, callbacks and sockets; webhooks, health and pages. */
export async function createTransports(config: AppConfig, parts: Parts): Promise<Transports> {
  let draining = false
  let starting = true
  const entrance = await createEntrance(config, parts, { isDraining: () => draining, isStarting: () => starting })
  const { http, connections } = entrance
  const { sockets, streams, callbacks } = await addGraphql(config, entrance)
  const admin = await addWebhooksAndHealth(config, entrance)
  addUploads(entrance)
  addExports(entrance)
  if (parts.shop !== undefined) addShop(config, entrance, parts.shop)
  return {
    open: () => ({ sockets: sockets.count, eventStreams: streams.count, callbacks: callbacks.count }),
    async listen() {
      const url = await http.listen({ host: config.http.host, port: config.http.port, backlog: BACKLOG })
      return { url, adminUrl: (await admin?.listen()) ?? null }
    },
    setReady: () => void (starting = false),
    async refetchTokenKeys() {
      // A failed attempt has been logged already.
      if (await entrance.verifier.refetchKeys()) parts.logger.info({}, 'the keys of client tokens are up to date')
    },
    async drain() {
      draining = true
      const until = performance.now() + LAST_ANSWER_MS
      const streamsEnd = Promise.all([sockets.close(), streams.close(), callbacks.close()])
      await sleep(LINGER_MS)
      await Promise.all([streamsEnd, closeHttpServer(http, connections, until - performance.now())])
      // Closed last, so that probes and metrics show the drain.
      await admin?.close()
    },
  }
}

async function createEntrance(config: AppConfig, parts: Parts, phase: Phase): Promise<Entrance> {
  const { isDraining } = phase
  const { metrics, logger } = parts
  const { http: settings } = config
  const onTurnedAway = metrics.turnedAway
  const isRouter = createRouterCheck(config.router)
  const isKnownRouter = config.router.kind === 'guarded' ? isRouter : () => false
  const addressOf = createAddressReader(settings.limits.trustProxy)
  const peerOf = createPeerReader(settings.limits.trustProxy)
  const { unreadMs } = parts.limits
  // Production answers under every name that leads to it: there nothing is done without credentials.
  const isKnownHost = config.production ? undefined : createHostCheck(hostNames(config))
  const server = {
    settings,
    isRouter: isKnownRouter,
    isDraining,
    onTurnedAway,
    addressOf,
    isKnownHost,
    unreadMs,
    logger,
  }
  const { http, connections, direct, isAllowedOrigin, acceptUpgrades } = await createHttpServer(server)
  const verifier = createTokenVerifier(config.clients, { log: logger, proxies: config.proxies })
  return {
    ...parts,
    http,
    direct,
    trace: traceRequests(parts.tracing),
    peerOf,
    connections,
    verifier,
    tokenEnds: createTokenEnds(verifier, parts.backend.services.deadlines),
    addressOf,
    isKnownRouter,
    ...phase,
    protection: protect(
      { http, direct },
      {
        addressOf,
        peerOf,
        limits: settings.limits,
        callerOf: createCallerReader(verifier),
        isRouter: isKnownRouter,
        shareCounts: parts.backend.shareCounts,
        onTurnedAway,
      },
    ),
    isAllowedOrigin,
    acceptUpgrades,
    isFromRouter: isRouter,
  }
}

/** Adds one engine and five transports. */
async function addGraphql(config: AppConfig, entrance: Entrance) {
  const { http, direct, engine, protection, isAllowedOrigin, isDraining, tokenEnds, logger, clock, acceptUpgrades } =
    entrance
  const { callerOf, overload } = protection
  const limits = { ...config.http.socketLimits, ...entrance.limits }
  const { addressOf, isFromRouter, isKnownRouter } = entrance
  const { bodyBytes } = config.limits
  const graphql = createGraphqlEntrance({ direct, protection, trace: entrance.trace, logger })
  const streams = createResponseStreams({
    engine,
    isAllowedOrigin,
    headersFor: direct.headersFor,
    addressOf,
    isRouter: isKnownRouter,
    tokenEnds,
    logger,
    clock,
    limits,
    shareCounts: entrance.backend.shareCounts,
  })
  addEventStreams(graphql, { engine, streams, callerOf, isFromRouter, isAllowedOrigin, isDraining, bodyBytes })
  const callbacks = createCallbackSubscriptions({
    engine,
    send: graphql.send,
    origins: config.callbackOrigins,
    isRouter: isKnownRouter,
    tokenEnds,
    logger,
    clock,
    limits: entrance.limits,
  })
  addGraphqlRoute(graphql, {
    engine,
    hasExplorer: await addPagesFor(config, http),
    callerOf,
    isFromRouter,
    isRouter: isKnownRouter,
    limits: config.limits,
    isDraining,
    compresses: config.http.compresses,
    carriers: [callbacks, multipartCarrier(streams), eventStreamCarrier(streams)],
  })
  const sockets = addWebSocket({
    isOwn: config.shortcuts.includes('ownSockets'),
    engine,
    acceptUpgrades,
    verifier: entrance.verifier,
    tokenEnds,
    isFromRouter,
    isRouter: isKnownRouter,
    isAllowedOrigin,
    addressOf,
    peerOf: entrance.peerOf,
    failures: protection.failures,
    onTurnedAway: entrance.metrics.turnedAway,
    overload,
    logger,
    clock,
    limits,
    shareCounts: entrance.backend.shareCounts,
  })
  return { streams, callbacks, sockets }
}

/** Adds the address for pictures of identity documents. */
function addUploads({ http, backend, protection, isDraining, limits }: Entrance): void {
  const { operations } = backend.services
  addUploadRoutes(http, {
    open: operations.openUpload,
    submit: operations.submitIdentityCheck,
    isDraining,
    failures: protection.failures,
    limits: limits.uploads ?? {},
  })
}

/** Adds the address for files of payments. */
function addExports({ http, backend, protection, isDraining, limits, logger, clock }: Entrance): void {
  const { operations } = backend.services
  addExportRoute(http, {
    open: operations.openPaymentsExport,
    begin: operations.beginPaymentsExport,
    isRefusing: () => isDraining() || protection.overload.isOverloaded(),
    failures: protection.failures,
    logger,
    clock,
    limits: limits.exports ?? {},
  })
}

/** Adds the pages, if they have been built; returns whether the explorer is among them. */
async function addPagesFor(config: AppConfig, http: FastifyInstance): Promise<boolean> {
  const pages = await addPages(http)
  if (pages === null) return false
  addPageRoutes(http, { pages, sandboxOrigin: emulatorOrigin(config) })
  if (!config.production)
    http.get(GRAPHQL_PATH, { exposeHeadRoute: false }, async (_request, reply) => pages.send(reply, 'explorer'))
  return !config.production
}

/** Returns the server for metrics and probes, if one is configured. */
async function addWebhooksAndHealth(config: AppConfig, entrance: Entrance): Promise<AdminServer | null> {
  const { http, direct, backend, protection, metrics, isStarting, isDraining, addressOf, logger } = entrance
  const { registry } = metrics
  addWebhookRoutes(direct, {
    handlers: backend.webhookHandlers,
    isDraining,
    failures: protection.failures,
    peerOf: entrance.peerOf,
    trace: entrance.trace,
    onAnswered: ({ status, outcome }) => {
      metrics.webhookAnswered(status, outcome?.disposition ?? 'none')
      if (outcome?.orphan !== undefined) metrics.orphanLinkPaid()
    },
  })
  const ping = () => backend.services.store.ping()
  const health = { ping, isStarting, isDraining, isOverloaded: protection.overload.isOverloaded }
  addHealthRoutes(http, health)
  addMetricsRoute(http, { registry, access: config.monitoring.metrics, failures: protection.failures })
  const { admin: address } = config.monitoring
  if (address === null) return null
  return createAdminServer({
    address,
    server: { settings: config.http, isDraining, addressOf, isKnownHost: createHostCheck(hostNames(config)), logger },
    health,
    registry,
  })
}
