import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHostCheck } from 'payments-subgraph-lib/known-hosts'
import { createOwnVerifier, type VerifyToken } from '../access/own-verifier.ts'
import { createTokenVerifier, type TokenVerifier } from '../access/verify-token.ts'
import type { Operations } from '../commands/operations.ts'
import { type AppConfig, hostNames } from '../config.ts'
import type { SocketLimits } from '../config/limits.ts'
import type { Engine, Requester } from '../graphql/engine/engine.ts'
import type { PaymentsOpenStreams } from '../lookups/health.ts'
import type { Logger } from '../observability/logger.ts'
import type { LimitUse, Metrics } from '../observability/metrics/metrics.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { ShareCounts } from '../redis/shared-counts.ts'
import type { Deadlines } from '../streams/stream-registry.ts'
import type { WebhookHandlers } from '../webhooks/subject-webhooks.ts'
import type { WebhookFigures } from '../webhooks/webhook-figures.ts'
import {
  type AdminServer,
  createAdminServer,
  addHealthRoutes,
  type HealthOptions,
  addMetricsRoute,
} from './admin/admin-server.ts'
import { type ClientAddresses, createClientAddresses } from './connections/client-address.ts'
import { createTokenEnds, type TokenEnds } from './connections/token-end.ts'
import { addExportRoute, type ExportLimits } from './exports/export-route.ts'
import { createGraphqlEntrance } from './graphql/graphql-entrance.ts'
import { requestError } from './graphql/graphql-response.ts'
import { addGraphqlRoute, statusTokensIn } from './graphql/graphql-route.ts'
import { addPagesFor, type SendPage } from './pages/pages-of-config.ts'
import { protect, type Protection } from './protection/protection.ts'
import { createCallerReader, createRouterCheck, type RouterCheck } from './server/client-caller.ts'
import { createHttpServer, type HttpServer } from './server/server.ts'
import { type TraceRequest, traceRequests } from './server/trace-requests.ts'
import { type CallbackLimits, createCallbackSubscriptions } from './streams/callback-subscriptions.ts'
import { multipartCarrier } from './streams/multipart-streams.ts'
import { createResponseStreams } from './streams/response-streams.ts'
import { addEventStreams, eventStreamCarrier } from './streams/sse-streams.ts'
import { addWebhookFeed } from './streams/webhook-feed.ts'
import type { UploadLimits } from './uploads/read-pictures.ts'
import { addUploadRoutes } from './uploads/upload-routes.ts'
import { watchTokenRefusals, watchWebhooks } from './webhooks/watch-refusals.ts'
import { addWebhookRoutes, type WebhookFeed } from './webhooks/webhook-routes.ts'
import { addWebSocket } from './websocket/websocket.ts'

export type Http = {
  readonly server: HttpServer
  /** Returns the number of open sockets and streams of clients. */
  open(): Omit<PaymentsOpenStreams, 'subscriptions'>
  /** Returns how much of each limit of connections and streams is used. */
  limits(): Readonly<Record<string, LimitUse>>
  /** Returns who sends a request that another server has received. Rejects with a `GraphQLError` if its token is not valid. */
  requesterOf(request: IncomingMessage): Promise<Requester>
  /** Starts listening. Returns the URL for clients, and that of the separate server for metrics and probes, if there is one. */
  listen(): Promise<{ readonly url: string; readonly adminUrl: string | null }>
  /** Returns the address at which a page signs in, once, with every scope; null but in development on the sandbox. */
  signInUrl(): string | null
  /** Makes the probes report that the process is ready. */
  setReady(): void
  /** Fetches the verification keys of client tokens again, and ends the streams whose token is no longer valid. */
  refetchTokenKeys(): Promise<void>
  /** Reports that the process is not ready, waits, asks sockets to reconnect elsewhere, closes the listener, and finishes the requests in progress. */
  drain(): Promise<void>
}

type HttpNeeds = {
  readonly engine: Engine
  readonly operations: Pick<
    Operations,
    'openUpload' | 'submitIdentityCheck' | 'openPaymentsExport' | 'beginPaymentsExport'
  >
  readonly webhookHandlers: WebhookHandlers
  readonly deadlines: Deadlines
  readonly shareCounts: ShareCounts
  /** Rejects if the store has failed or does not answer. */
  readonly ping: () => Promise<void>
  readonly webhookFigures: Pick<WebhookFigures, 'answered'>
  readonly metrics: Metrics
  readonly tracing: Tracing | null
  readonly logger: Logger
  readonly clock: () => Date
  readonly limits: Partial<TransportLimits>
  /** Replaces the verification of client tokens; null for that of the settings. */
  readonly verifyToken: VerifyToken | null
}

export type TransportLimits = SocketLimits &
  CallbackLimits & {
    /** Milliseconds within which a peer must read some part of an HTTP response. */
    readonly unreadMs: number
    /** Times for the pictures of an identity document. */
    readonly uploads: Partial<UploadLimits>
    /** Limits for downloads of files of payments. */
    readonly exports: Partial<ExportLimits>
  }

/** What all transports share. */
type Entrance = HttpNeeds &
  Phase &
  ClientAddresses & {
    readonly http: HttpServer
    readonly trace: TraceRequest
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

/** Sockets and streams that are closed in a second, so that their clients do not all reconnect at once. */
const CLOSED_PER_SECOND = 100
/** The longest time in milliseconds over which they are closed, however many there are. */
export const MAX_CLOSING_MS = 5_000
/** Time limit in milliseconds for the requests in progress when the listener closes: by then even the slowest webhook body has been answered. */
const LAST_ANSWER_MS = 11_000

/** Creates the server and all transports, without listening: GraphQL over HTTP, event streams, callbacks and sockets; webhooks, health and pages. */
export function createHttp(config: AppConfig, needs: HttpNeeds): Http {
  let draining = false
  let starting = true
  const entrance = createEntrance(config, needs, { isDraining: () => draining, isStarting: () => starting })
  const { http } = entrance
  const callerOf = createCallerReader(entrance.verifier)
  const pages = addPagesFor(config, entrance)
  const { sockets, streams, callbacks, feed } = addGraphql(config, entrance, pages.sendExplorer)
  const admin = addWebhooksAndHealth(config, entrance, feed)
  addUploads(entrance)
  addExports(entrance)
  return {
    server: http,
    limits: () => ({ ...http.limits(), ...sockets.limits(), ...streams.limits(), ...callbacks.limits() }),
    open: () => ({ sockets: sockets.count, eventStreams: streams.count, callbacks: callbacks.count }),
    async requesterOf(request) {
      try {
        const caller = await callerOf(request)
        return { caller, fromRouter: entrance.isFromRouter(request), statusTokens: statusTokensIn(request) }
      } catch (error) {
        throw requestError(error)
      }
    },
    async listen() {
      const url = await http.listen(config.http)
      return { url, adminUrl: (await admin?.listen()) ?? null }
    },
    signInUrl: () => (pages.createCode === null ? null : `${http.url()}/#code=${pages.createCode()}`),
    setReady: () => void (starting = false),
    async refetchTokenKeys() {
      // A failed attempt has been logged already.
      if (await entrance.verifier.refetchKeys()) needs.logger.info({}, 'the keys for client tokens were fetched again')
    },
    async drain() {
      draining = true
      // Load balancers notice that the process is not ready. Until then it answers as before.
      await sleep(config.shutdownDelayMs)
      const closingMs = Math.min(MAX_CLOSING_MS, ((sockets.count + streams.count) * 1_000) / CLOSED_PER_SECOND)
      const streamsEnd = Promise.all([sockets.close(closingMs), streams.close(closingMs), callbacks.close()])
      await sleep(closingMs)
      await Promise.all([streamsEnd, http.close(LAST_ANSWER_MS)])
      // Closed last, so that probes and metrics show the drain.
      await admin?.close()
    },
  }
}

function createEntrance(config: AppConfig, needs: HttpNeeds, phase: Phase): Entrance {
  const { isDraining } = phase
  const { metrics, logger, shareCounts, deadlines } = needs
  const { http: settings } = config
  const onTurnedAway = metrics.turnedAway
  const isRouter = createRouterCheck(config.router)
  const isKnownRouter = config.router.kind === 'guarded' ? isRouter : () => false
  const { addressOf, peerOf } = createClientAddresses(settings.limits.trustProxy)
  const { unreadMs } = needs.limits
  // Production answers under every name that leads to it: there nothing is done without credentials.
  const isKnownHost = config.production ? undefined : createHostCheck(hostNames(config))
  const http = createHttpServer({
    settings,
    isRouter: isKnownRouter,
    isDraining,
    onTurnedAway,
    // What warms the process up is no request of a client.
    onAnswered: (...answered) => void (phase.isStarting() || metrics.requestAnswered(...answered)),
    addressOf,
    isKnownHost,
    unreadMs,
    logger,
  })
  const onRefused = watchTokenRefusals(metrics, logger)
  const verifier =
    needs.verifyToken === null
      ? createTokenVerifier(config.clients, { log: logger, onRefused, proxies: config.proxies })
      : createOwnVerifier(needs.verifyToken, config.clients, { log: logger, onRefused })
  return {
    ...needs,
    http,
    trace: traceRequests(needs.tracing),
    peerOf,
    verifier,
    tokenEnds: createTokenEnds(verifier, deadlines),
    addressOf,
    isKnownRouter,
    ...phase,
    protection: protect(http, {
      addressOf,
      peerOf,
      limits: settings.limits,
      callerOf: createCallerReader(verifier),
      isRouter: isKnownRouter,
      shareCounts,
      onTurnedAway,
    }),
    isFromRouter: isRouter,
  }
}

/** Adds one engine and five transports. */
function addGraphql(config: AppConfig, entrance: Entrance, sendExplorer: SendPage | null) {
  const { http, engine, protection, tokenEnds, logger, clock } = entrance
  const { isAllowedOrigin, acceptUpgrades } = http
  const { callerOf, overload } = protection
  const limits = { ...config.http.socketLimits, ...entrance.limits }
  const { addressOf, isFromRouter, isKnownRouter } = entrance
  const { bodyBytes } = config.limits
  const graphql = createGraphqlEntrance({ http, protection, trace: entrance.trace })
  const streams = createResponseStreams({
    engine,
    isAllowedOrigin,
    headersFor: http.headersFor,
    addressOf,
    isRouter: isKnownRouter,
    tokenEnds,
    onTurnedAway: entrance.metrics.turnedAway,
    logger,
    clock,
    limits,
    shareCounts: entrance.shareCounts,
  })
  addEventStreams(graphql, { engine, streams, callerOf, isFromRouter, isAllowedOrigin, bodyBytes })
  const isProduction = config.upstream.environment === 'production'
  const feed = addWebhookFeed(graphql, { engine, streams, callerOf, isProduction })
  const callbacks = createCallbackSubscriptions({
    engine,
    send: graphql.send,
    origins: config.callbackOrigins,
    isRouter: isKnownRouter,
    tokenEnds,
    onTurnedAway: entrance.metrics.turnedAway,
    logger,
    clock,
    limits: entrance.limits,
  })
  addGraphqlRoute(graphql, {
    engine,
    sendExplorer,
    callerOf,
    isFromRouter,
    isRouter: isKnownRouter,
    limits: config.limits,
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
    shareCounts: entrance.shareCounts,
  })
  return { streams, callbacks, sockets, feed }
}

/** Adds the address for pictures of identity documents. */
function addUploads({ http, operations, protection, peerOf, limits }: Entrance): void {
  addUploadRoutes(http, {
    open: operations.openUpload,
    submit: operations.submitIdentityCheck,
    failures: protection.failures,
    peerOf,
    limits: limits.uploads ?? {},
  })
}

/** Adds the address for files of payments. */
function addExports({ http, operations, protection, peerOf, limits, logger, clock }: Entrance): void {
  addExportRoute(http, {
    open: operations.openPaymentsExport,
    begin: operations.beginPaymentsExport,
    isOverloaded: protection.overload.isOverloaded,
    failures: protection.failures,
    peerOf,
    logger,
    clock,
    limits: limits.exports ?? {},
  })
}

/** Adds the addresses of webhooks and probes. Returns the server for metrics and probes, if one is configured. */
function addWebhooksAndHealth(config: AppConfig, entrance: Entrance, feed: WebhookFeed): AdminServer | null {
  const { http, ping, protection, metrics, webhookFigures, isStarting, isDraining, addressOf, peerOf, logger } =
    entrance
  addWebhookRoutes(http, {
    handlers: entrance.webhookHandlers,
    failures: protection.failures,
    peerOf,
    trace: entrance.trace,
    onAnswered: watchWebhooks(metrics, webhookFigures, logger),
    feed,
  })
  const health = { ping, isStarting, isDraining }
  addHealthRoutes(http, health)
  addMetricsRoute(http, {
    registry: metrics.registry,
    access: config.monitoring.metrics,
    guard: { failures: protection.failures, peerOf },
  })
  const { admin: address } = config.monitoring
  if (address === null) return null
  return createAdminServer({
    address,
    server: { settings: config.http, isDraining, addressOf, isKnownHost: createHostCheck(hostNames(config)), logger },
    health,
    registry: metrics.registry,
  })
}
