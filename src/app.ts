import type { IncomingMessage, RequestListener } from 'node:http'
import { dirname } from 'node:path'
import type { ApolloServerPlugin } from '@apollo/server'
import type { VerifyToken } from './access/own-verifier.ts'
import { createOperations } from './commands/operations.ts'
import { addShop, type CreateShop } from './compose-shop.ts'
import { type AppConfig, type Config, type Environment, readAppConfig } from './config.ts'
import type { Context } from './graphql/context.ts'
import { createGraphql } from './graphql/create-graphql.ts'
import type { OwnApollo } from './graphql/engine/own-apollo.ts'
import type { ExtensionContext, SchemaExtension } from './graphql/schema/schema-extension.ts'
import { warmUpEngine } from './graphql/warm-up.ts'
import { createHttp, type TransportLimits } from './http/create-http.ts'
import { warmUpServer } from './http/warm-up-server.ts'
import { createCursorCodec } from './keys/cursor.ts'
import { seal } from './keys/derived-secrets.ts'
import { createKeyRing, Secret } from './keys/key-ring.ts'
import { createLedger } from './ledger/ledger.ts'
import { createSliceScheduler } from './lib/slice-scheduler.ts'
import { withTimeout, systemTimer, type Timer } from './lib/timers.ts'
import { createHealth } from './lookups/health.ts'
import { createMethodLists } from './lookups/method-lists.ts'
import { createLogger, type Logger } from './observability/logger.ts'
import { createMetrics } from './observability/metrics.ts'
import type { Tracing } from './observability/tracing/tracing.ts'
import { createReconciliation } from './reconciliation/create-reconciliation.ts'
import { openConfiguredRedis, openSharing } from './redis/open-redis.ts'
import { openArchive } from './retention/retention.ts'
import { startSigningKeys } from './retention/signing-keys.ts'
import { openDatabase } from './store/open-database.ts'
import { openWakeUps } from './streams/open-wake-ups.ts'
import { createDeadlines, createStreamRegistry } from './streams/stream-registry.ts'
import { startTail, type TailOptions } from './streams/tail.ts'
import { createSites } from './upstream/client/sites.ts'
import type { BreakerSettings } from './upstream/resilience/breaker.ts'
import { createSiteStates, watchUpstream } from './upstream/site-states.ts'
import { createUpstreamClient } from './upstream/upstream-client.ts'
import { createWebhookHandlers } from './webhooks/subject-webhooks.ts'
import { createWebhookFigures } from './webhooks/webhook-figures.ts'

export type AppOptions = {
  /** Default: JSON lines on standard output, of the configured level. */
  readonly logger?: Logger
  readonly clock?: () => Date
  /** Timer that paces the reads of the payments API. Default: the system's. */
  readonly timer?: Timer
  /** Called when the app cannot continue: acknowledged data is safe, and the process must be restarted. */
  readonly onFatal?: () => void
  /** Overrides of the default circuit breaker settings for the payments API. */
  readonly breaker?: Partial<BreakerSettings>
  /** Overrides of the default limits of sockets, event streams and callbacks. */
  readonly limits?: Partial<TransportLimits>
  /** Overrides how often the log is polled for events of other nodes. */
  readonly tail?: Pick<TailOptions, 'pollMs'>
  /** With plugins of Apollo Server, every query and mutation is executed by Apollo Server, and slower. */
  readonly plugins?: readonly ApolloServerPlugin<ExtensionContext>[]
  /** Adds fields and types to the schema. */
  readonly extension?: SchemaExtension
  /** Verifies client tokens in place of the keys of `JWT_SECRET` and `JWT_JWKS_URL`. */
  readonly verifyToken?: VerifyToken
  /** Adds a demo shop below `/shop`, beside the emulator only. */
  readonly shop?: CreateShop
}

export type App = {
  /** URL at which the app listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string
  /** URL of the separate server for metrics and probes, e.g. `http://127.0.0.1:9464`; null for none. */
  readonly adminUrl: string | null
  /** Answers a request of another server of node:http, with every address but that of WebSockets. */
  readonly handle: RequestListener
  /**
   * Returns what an Apollo Server of this program needs: its options, with the schema and the admission, and the context of a request. Its
   * plugins are those of `AppOptions`, unless others are added to the options.
   */
  apollo(): Promise<{
    readonly options: OwnApollo['options']
    readonly context: (received: { readonly req: IncomingMessage }) => Promise<Context>
  }>
  /** Resolves when no read of the payments API is in progress. */
  settle(): Promise<void>
  /**
   * Fetches the verification keys of client tokens now, instead of within five minutes; tokens of withdrawn keys are rejected
   * from then on, and their streams end. If the issuer does not answer, nothing changes.
   */
  refetchTokenKeys(): Promise<void>
  /**
   * Drains: rejects new work, asks sockets to reconnect elsewhere, finishes and stores the work in progress. A second call waits
   * for the first.
   */
  close(): Promise<void>
}

/** How long the services may take to finish, in milliseconds; the outcome of a command that is not finished is recorded as unknown. */
const LAST_WORK_MS = 1_500
/** How long the end of a process waits for the database to record the commands under way, in milliseconds. */
const LAST_RECORD_MS = 500

/**
 * Creates every room once, and passes what they need of each other. Takes the configuration, or the environment variables of a process;
 * rejects with `ConfigError` if they are wrong. Tests and production use it alike.
 */
export async function createApp(given: Config | Environment, options: AppOptions = {}): Promise<App> {
  const config = readAppConfig(given)
  const {
    logger = createLogger({ level: config.logLevel }),
    clock = () => new Date(),
    timer = systemTimer,
    onFatal = () => {},
    limits = {},
  } = options
  let url = config.http.publicUrl
  const sites = createSites(config.upstream.sites)
  const states = createSiteStates(clock)
  const webhookFigures = createWebhookFigures(clock)
  const metrics = createMetrics(
    {
      sites: config.upstream.sites.map(({ id }) => id),
      sockets: () => http.open().sockets,
      eventStreams: () => http.open().eventStreams,
      callbacks: () => http.open().callbacks,
      streams: () => tail.listeners,
      isLeader: () => reconciliation.isLeader(),
      readsHeldMs: (site) => reconciliation.heldMs(site),
      reads: () => store.reads.backlog(clock()),
      redis: config.redis && (() => redis?.isConnected === true),
      wakeUps: config.database.kind === 'sqlite' ? null : () => wakeUps.isConnected,
    },
    clock,
  )
  for (const { setting, message } of config.warnings) logger.warn({ setting }, message)
  const tracing = await openTracing(config)

  const archive = await openArchive(config.retention)
  const keys = createKeyRing(config.signingKeys, config.callbackKeys)
  const store = createLedger(await openDatabase(config, { clock, logger }), {
    findsDuplicates: config.findsDuplicates,
    sealCardToken: config.keepsCardTokens ? (token) => seal(keys, 'card token', token) : null,
  })
  store.onFatal((failure) => {
    logger.fatal({ err: failure }, 'the store can no longer be written')
    onFatal()
  })
  const redis = await openConfiguredRedis(config, logger)
  const sharing = openSharing({ redis, logId: store.logId, keys })
  const upstream = createUpstreamClient({
    baseUrl: config.upstream.url,
    sites,
    proxies: config.proxies,
    breaker: options.breaker ?? {},
    tracing,
    ...states.noting(watchUpstream(metrics.upstream, logger)),
  })
  const scheduler = createSliceScheduler()
  const wakeUps = await openWakeUps(config, { redis, logId: store.logId, logger })
  const tail = await startTail({ log: store.log, logger, scheduler, wakeUps, ...options.tail })
  // After the tail, which then has the events before their wake-up can be back.
  store.log.onAppend(wakeUps.announce)
  const reconciliation = createReconciliation({
    store,
    upstream,
    sites,
    states,
    keys,
    retention: { settings: config.retention, folder: archive },
    isDaily: config.reconcilesDaily,
    logger,
    clock,
    timer,
    observe: metrics,
  })
  const signingKeys = await startSigningKeys({
    ring: keys,
    store: store.signingKeys,
    lifetimes: { refundWindowDays: config.refundWindowDays, deliveryKeysDays: config.retention.deliveryKeysDays },
    logger,
    clock,
    timer,
  })
  const lists = createMethodLists(upstream, sites)
  const operations = createOperations({
    ...lists,
    store,
    upstream,
    sites,
    keys,
    logger,
    clock,
    publicUrl: () => url,
    readPayment: reconciliation.readPayment,
    paymentFinder: reconciliation.paymentFinder,
    sendLinkReference: config.sendLinkReference,
    sandbox: config.upstream.environment === 'sandbox',
    onReadDue: reconciliation.wake,
    onErasureLeft: reconciliation.continueErasures,
    onImportBegun: reconciliation.continueImports,
  })
  const enabled = new Set(sites.all.flatMap((site) => site.currencies))
  const deadlines = createDeadlines(() => clock().getTime())
  const services = {
    ...lists,
    store,
    tail,
    scheduler,
    deadlines,
    streams: createStreamRegistry({ ...config.http.socketLimits, ...limits }, sharing.share),
    operations,
    health: createHealth({
      sites,
      states,
      methods: lists.linkMethods,
      store,
      isLeader: reconciliation.isLeader,
      heldMs: reconciliation.heldMs,
      clock,
      streams: () => ({ ...http.open(), subscriptions: tail.listeners }),
      webhooks: webhookFigures.figures,
      position: () => tail.end,
      folder: config.database.kind === 'sqlite' ? dirname(config.database.path) : null,
    }),
    keys,
    contactKeys: createKeyRing([new Secret(store.logId)]),
    signingKeys,
    cursors: createCursorCodec(keys, store.logId, store.branches),
    clock,
    isEnabled: ({ code }: { readonly code: string }) => enabled.has(code),
  }
  const { extension = null, plugins = [] } = options
  const engine = await createGraphql(config, { services, logger, tracing, extension, plugins })
  const http = createHttp(config, {
    engine,
    operations,
    webhookHandlers: createWebhookHandlers({
      inbox: store.inbox,
      keys,
      secrets: config.webhooks.secrets,
      logger,
      clock,
      observeKeys: {
        verified(keyId) {
          signingKeys.callbackVerified(keyId)
          metrics.callbackVerified(keyId)
        },
        unknown: metrics.callbackUnderUnknownKey,
      },
      onReadDue: reconciliation.wake,
    }),
    deadlines,
    shareCounts: sharing.share,
    ping: () => store.ping(),
    metrics,
    webhookFigures,
    tracing,
    logger,
    clock,
    limits,
    verifyToken: options.verifyToken ?? null,
  })
  if (options.shop !== undefined) addShop(config, { http: http.server, logger }, options.shop)

  const endWork = async () => {
    await reconciliation.close()
    await signingKeys.close()
    await upstream.close()
  }
  const drain = async () => {
    await http.drain()
    await engine.stop()
    tail.close()
    await withTimeout(endWork(), LAST_WORK_MS, () =>
      logger.warn({ durationMs: LAST_WORK_MS }, 'the shutdown timed out: unfinished work continues at the next start'),
    )
    await withTimeout(operations.close(), LAST_RECORD_MS, () => {
      throw new Error('The database did not answer in time.')
    }).catch((error: unknown) =>
      logger.warn({ err: error }, 'running commands stay recorded as sent until their leases expire'),
    )
    await wakeUps.close()
    sharing.close()
    redis?.close()
    await store.close()
    await tracing?.close()
  }
  let drained: Promise<void> | null = null
  const close = () => (drained ??= drain())

  const milliseconds = config.warmUpMs
  await warmUpEngine({ engine, services, milliseconds })
  const listening = await http.listen().catch(async (error: unknown) => {
    // After a failed start nothing stays open and the database is free, so that the caller can try again.
    await close()
    throw error
  })
  if (config.http.port === 0) url = listening.url
  await warmUpServer(listening.url, milliseconds / 4)
  http.setReady()
  reconciliation.start()
  const { handle } = http.server
  const apollo = async () => {
    const { options: forServer, contextOf } = await engine.ownApollo()
    return {
      options: forServer,
      context: async ({ req }: { readonly req: IncomingMessage }) => contextOf(await http.requesterOf(req)),
    }
  }
  return { ...listening, handle, apollo, settle: reconciliation.idle, refetchTokenKeys: http.refetchTokenKeys, close }
}

async function openTracing({ tracesEndpoint, proxies }: AppConfig): Promise<Tracing | null> {
  if (tracesEndpoint === null) return null
  const { createTracing } = await import('./observability/tracing/tracing.ts')
  return createTracing(tracesEndpoint, proxies)
}
