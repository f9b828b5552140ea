import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import type { App, AppOptions } from './app-options.ts'
import { createOperations } from './commands/operations.ts'
import { addShop } from './compose-shop.ts'
import { type Config, type Environment, readAppConfig } from './config.ts'
import { createGraphql } from './graphql/create-graphql.ts'
import { warmUpEngine } from './graphql/warm-up.ts'
import { createHttp } from './http/create-http.ts'
import { warmUpServer } from './http/warm-up-server.ts'
import { createCursorCodec } from './keys/cursor.ts'
import { seal } from './keys/derived-secrets.ts'
import { createKeyRing, Secret } from './keys/key-ring.ts'
import { createLedger } from './ledger/ledger.ts'
import { createSliceScheduler } from './lib/slice-scheduler.ts'
import { withTimeout, systemTimer } from './lib/timers.ts'
import { programVersion } from './lib/version.ts'
import { createHealth } from './lookups/health.ts'
import { createMethodLists } from './lookups/method-lists.ts'
import { createLogger, withTraceIds } from './observability/logger.ts'
import { createMetrics } from './observability/metrics/metrics.ts'
import { openTracing } from './observability/tracing/open-tracing.ts'
import { createReconciliation } from './reconciliation/create-reconciliation.ts'
import { openConfiguredRedis, openSharing } from './redis/open-redis.ts'
import { openArchive } from './retention/retention.ts'
import { startSigningKeys } from './retention/signing-keys.ts'
import { openDatabase } from './store/open-database.ts'
import { observeCommits, storeSources } from './store/store-sources.ts'
import { watchStore } from './store/store-watch.ts'
import { openWakeUps } from './streams/open-wake-ups.ts'
import { createDeadlines, createStreamRegistry } from './streams/stream-registry.ts'
import { startTail } from './streams/tail.ts'
import { createSites } from './upstream/client/sites.ts'
import { createSiteStates, watchUpstream } from './upstream/site-states.ts'
import { createUpstreamClient } from './upstream/upstream-client.ts'
import { createWebhookHandlers, WEBHOOK_KINDS } from './webhooks/subject-webhooks.ts'
import { createWebhookFigures } from './webhooks/webhook-figures.ts'

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
    logger: ownLogger = createLogger({ level: config.logLevel }),
    clock = () => new Date(),
    timer = systemTimer,
    onFatal = () => {},
    limits = {},
  } = options
  let url = config.http.publicUrl
  const sites = createSites(config.upstream.sites)
  const states = createSiteStates(clock)
  const tracing = await openTracing(config)
  const watch = watchStore(tracing === null ? ownLogger : withTraceIds(ownLogger, tracing), () => store)
  const { logger } = watch
  const isOnServer = config.database.kind !== 'sqlite'
  const webhookFigures = createWebhookFigures(clock)
  const metrics = createMetrics(
    {
      build: { version: programVersion(), node: process.version, database: config.database.kind },
      webhookKinds: WEBHOOK_KINDS,
      sites: config.upstream.sites.map(({ id }) => id),
      retriesLeft: (site) => upstream.retriesLeft(site),
      limits: () => ({ ...http.limits(), ...services.streams.limits() }),
      store: storeSources({ store: () => store, position: () => tail.end, isUp: watch.isUp, isOnServer }),
      sockets: () => http.open().sockets,
      eventStreams: () => http.open().eventStreams,
      callbacks: () => http.open().callbacks,
      streams: () => tail.listeners,
      isLeader: () => reconciliation.isLeader(),
      readsHeldMs: (site) => reconciliation.heldMs(site),
      reads: () => store.reads.backlog(clock()),
      redis: config.redis && (() => redis?.isConnected === true),
      wakeUps: isOnServer ? () => wakeUps.isConnected : null,
    },
    clock,
  )
  for (const { setting, message } of config.warnings) logger.warn({ setting }, message)

  const archive = await openArchive(config.retention)
  const keys = createKeyRing(config.signingKeys, config.callbackKeys)
  const store = createLedger(
    await openDatabase(config, {
      clock,
      logger,
      observer: observeCommits(metrics, watch),
    }),
    {
      findsDuplicates: config.findsDuplicates,
      sealCardToken: config.keepsCardTokens ? (token) => seal(keys, 'card token', token) : null,
    },
  )
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
    removed: config.database.kind === 'sqlite' ? null : config.removedKeys,
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
    assertWritable: watch.assertWritable,
    traceparent: () => tracing?.headers()['traceparent'] ?? null,
    onCommandEnded: metrics.commandEnded,
    onReadDue: reconciliation.wake,
    onErasureLeft: reconciliation.continueErasures,
    onImportBegun: reconciliation.continueImports,
    onReplayBegun: reconciliation.continueReplays,
  })
  const enabled = new Set(sites.all.flatMap((site) => site.currencies))
  const deadlines = createDeadlines(() => clock().getTime())
  const services = {
    ...lists,
    store,
    tail,
    scheduler,
    deadlines,
    streams: createStreamRegistry({ ...config.http.socketLimits, ...limits }, sharing.share, metrics.turnedAway),
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
    cursors: createCursorCodec(store.logId, store.branches),
    clock,
    isEnabled: ({ code }: { readonly code: string }) => enabled.has(code),
  }
  const { extension = null, plugins = [] } = options
  let isReady = false
  const engine = await createGraphql(config, {
    services,
    logger,
    tracing,
    // What warms the process up is no request of a client.
    onDelivered: metrics.eventDelivered,
    onEnded: (operation) => isReady && metrics.operationEnded(operation),
    extension,
    plugins,
  })
  const http = createHttp(config, {
    engine,
    operations,
    webhookHandlers: createWebhookHandlers({
      inbox: store.inbox,
      tracing,
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
    ping: watch.check,
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
    watch.close()
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
  isReady = true
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
  const { version: databaseVersion } = store
  const signInUrl = http.signInUrl()
  return {
    ...listening,
    signInUrl,
    databaseVersion,
    handle,
    apollo,
    settle: reconciliation.idle,
    refetchTokenKeys: http.refetchTokenKeys,
    close,
  }
}
