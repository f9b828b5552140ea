import { createOperations } from '../commands/operations.ts'
import type { Config, UpstreamConfig } from '../config.ts'
import { hasDirectPayins } from '../domain/money/money.ts'
import type { Services } from '../graphql/context.ts'
import type { CallbackLimits } from '../http/callback/callback-subscriptions.ts'
import type { ExportLimits } from '../http/exports/export-route.ts'
import type { UploadLimits } from '../http/uploads/read-pictures.ts'
import { createCursorCodec } from '../keys/cursor.ts'
import { createKeyRing } from '../keys/key-ring.ts'
import { createSliceScheduler } from '../lib/slice-scheduler.ts'
import { withTimeout, systemTimer, type Timer } from '../lib/timers.ts'
import { createHealth, type PaymentsOpenStreams } from '../lookups/health.ts'
import { createRequirementsReader } from '../lookups/method-requirements.ts'
import type { Logger } from '../observability/logger.ts'
import type { Tracing } from '../observability/tracing/tracing.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import type { ShareCounts } from '../redis/shared-counts.ts'
import { type ArchiveFolder, createArchiveFolder } from '../retention/retention.ts'
import { startSigningKeys } from '../retention/signing-keys.ts'
import { createDeadlines, createStreamRegistry, type StreamLimits } from '../streams/stream-registry.ts'
import { startTail, type TailOptions } from '../streams/tail.ts'
import type { WakeUps } from '../streams/wake-ups.ts'
import { type UpstreamWatch, createSiteStates, createSites, type Sites } from '../upstream/client/sites.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/client/upstream-client.ts'
import { createMethodCache } from '../upstream/methods/method-cache.ts'
import { createKeyedCache, createPayinMethodLists } from '../upstream/methods/payin-method-lists.ts'
import type { BreakerSettings } from '../upstream/resilience/breaker.ts'
import { createReading, createWebhookHandlers, type WebhookHandlers } from './compose-readers.ts'
import type { Metrics } from './metrics.ts'
import { openSharing, openStore, openWakeUps } from './open-store.ts'

/** Everything behind the transports. */
export type Backend = {
  readonly services: Services
  readonly webhookHandlers: WebhookHandlers
  /** Null if none is configured. */
  readonly redis: RedisConnection | null
  readonly wakeUps: Pick<WakeUps, 'isConnected'>
  /** Whether this process is the leader, which makes the planned reads. */
  isLeader(): boolean
  /** Milliseconds for which this process makes no planned read of a site, because the last reads had trouble; 0 if it may. */
  readsHeldMs(site: string): number
  readonly shareCounts: ShareCounts
  /** Starts the reads that an earlier run left due. */
  start(): void
  /** Resolves when no read of the payments API is in progress. */
  settle(): Promise<void>
  /** Stops background work, waits at most this many milliseconds for work in progress, and closes the store. */
  close(milliseconds: number): Promise<void>
}

/** How long the end of a process waits for the database to record the commands under way, in milliseconds. */
const LAST_RECORD_MS = 500

type BackendOptions = {
  readonly logger: Logger
  readonly clock: () => Date
  readonly publicUrl: () => string
  /** Called when the store has failed in a way that requires a restart of the process. */
  readonly onFatal: () => void
  readonly timer?: Timer | undefined
  readonly observe: Pick<
    Metrics,
    'readEnded' | 'swept' | 'rowsArchived' | 'callbackVerified' | 'callbackUnderUnknownKey'
  >
  readonly breaker: Partial<BreakerSettings>
  /** Receives the events of the upstream client. */
  readonly watch: UpstreamWatch
  readonly tracing: Tracing | null
  readonly tail: Pick<TailOptions, 'pollMs'>
  readonly streamLimits: StreamLimits
  /** Returns the number of open sockets and streams of clients. */
  readonly openStreams: () => Omit<PaymentsOpenStreams, 'subscriptions'>
}

/** Opens the store and the upstream client, and creates the services between them and the transports. */
export async function startServices(config: AppConfig, options: BackendOptions): Promise<Backend> {
  const { logger, clock, timer = systemTimer, observe, breaker } = options
  const sites = createSites(config.upstream.sites)
  const states = createSiteStates(clock)
  const archive = await openArchive(config.retention)
  const keys = createKeyRing(config.signingKeys, config.callbackKeys)
  const store = await openStore(config, { keys, clock, logger })
  store.onFatal((failure) => {
    logger.fatal({ err: failure }, 'the store cannot be written to any more')
    options.onFatal()
  })
  const redis = await openRedisOf(config, logger)
  const sharing = openSharing({ redis, logId: store.logId, keys })
  const upstream = createUpstreamClient({
    baseUrl: config.upstream.url,
    sites,
    proxies: config.proxies,
    breaker,
    tracing: options.tracing,
    ...states.noting(options.watch),
  })
  const scheduler = createSliceScheduler()
  const wakeUps = await openWakeUps(config, { redis, logId: store.logId, logger })
  const tail = await startTail({ log: store.log, logger, scheduler, wakeUps, ...options.tail })
  // After the tail, which then has the events before their wake-up can be back.
  store.log.onAppend(wakeUps.announce)
  const reading = createReading({
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
    observe,
  })
  const signingKeys = await startSigningKeys({
    ring: keys,
    store: store.signingKeys,
    lifetimes: { refundWindowDays: config.refundWindowDays, deliveryKeysDays: config.retention.deliveryKeysDays },
    logger,
    clock,
    timer,
  })
  const observeKeys = {
    verified(keyId: string) {
      signingKeys.callbackVerified(keyId)
      observe.callbackVerified(keyId)
    },
    unknown: observe.callbackUnderUnknownKey,
  }
  const lists = createMethodLists(upstream, sites)
  const deadlines = createDeadlines(() => clock().getTime())
  const streams = createStreamRegistry(options.streamLimits, sharing.share)
  const operations = createOperations({
    ...options,
    ...lists,
    store,
    upstream,
    sites,
    keys,
    readPayment: reading.readPayment,
    paymentFinder: reading.paymentFinder,
    sendLinkReference: config.sendLinkReference,
    sandbox: config.upstream.environment === 'sandbox',
    onReadDue: reading.wake,
    onErasureLeft: reading.continueErasures,
    onImportBegun: reading.continueImports,
  })
  const enabled = new Set(sites.all.flatMap((site) => site.currencies))

  return {
    services: {
      ...lists,
      store,
      tail,
      scheduler,
      deadlines,
      streams,
      operations,
      health: createHealth({
        sites,
        states,
        methods: lists.linkMethods,
        store,
        isLeader: reading.isLeader,
        heldMs: reading.heldMs,
        clock,
        streams: () => ({ ...options.openStreams(), subscriptions: tail.listeners }),
      }),
      keys,
      signingKeys,
      cursors: createCursorCodec(keys, store.logId, store.branches),
      clock,
      isEnabled: ({ code }) => enabled.has(code),
    },
    webhookHandlers: createWebhookHandlers(config, { store, keys, logger, clock, observeKeys, reading }),
    redis,
    wakeUps,
    isLeader: reading.isLeader,
    readsHeldMs: reading.heldMs,
    shareCounts: sharing.share,
    start: reading.start,
    settle: reading.idle,
    async close(milliseconds) {
      tail.close()
      const end = async () => {
        await reading.close()
        await signingKeys.close()
        await upstream.close()
      }
      await withTimeout(end(), milliseconds, () =>
        logger.warn(
          { durationMs: milliseconds },
          'the drain was cut short: what is under way is taken up at the next start',
        ),
      )
      await withTimeout(operations.close(), LAST_RECORD_MS, () => {
        throw new Error('The database did not answer in time.')
      }).catch((error: unknown) =>
        logger.warn({ err: error }, 'the commands under way stay recorded as sent until their leases end'),
      )
      await wakeUps.close()
      sharing.close()
      redis?.close()
      await store.close()
    },
  }
}

/** Creates the cached method lists and the reader of each method's required fields. */
function createMethodLists(upstream: UpstreamClient, sites: Sites) {
  const linkMethods = createMethodCache({ load: (site) => upstream.listPayinMethods(site), sites })
  const directMethods = createMethodCache({
    load: async (site) => (site.currencies.some(hasDirectPayins) ? upstream.listDirectPayinMethods(site) : []),
    sites,
  })
  const payoutMethods = createMethodCache({ load: (site) => upstream.listPayoutMethods(site), sites })
  const requirements = createRequirementsReader({
    upstream,
    sites,
    directMethods,
    payoutMethods,
    createCache: createKeyedCache,
  })
  const methods = createPayinMethodLists({ link: linkMethods, direct: directMethods, sites })
  return { methods, linkMethods, payoutMethods, requirements }
}

/** Returns the configured folder of archives; null if there is none. Throws an `Error` if it cannot be written. */
async function openArchive({ archive }: Config['retention']): Promise<ArchiveFolder | null> {
  if (archive?.kind !== 'folder') return null
  const folder = createArchiveFolder(archive.path)
  await folder.prepare()
  return folder
}

/** Begins to connect to the configured Redis server; null if there is none. Its driver is loaded only then. */
async function openRedisOf({ redis }: AppConfig, logger: Logger): Promise<RedisConnection | null> {
  if (redis === null) return null
  const { openRedis } = await import('../redis/redis-connection.ts')
  return openRedis(redis, { logger })
}

/** A configuration with a payments API: if the built-in sandbox was configured, it has been started. */
export type AppConfig = Omit<Config, 'upstream'> & { readonly upstream: Extract<UpstreamConfig, { kind: 'service' }> }

export type AppOptions = {
  readonly logger: Logger
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
}

export type TransportLimits = Config['http']['socketLimits'] &
  CallbackLimits & {
    /** Milliseconds within which a peer must read some part of an HTTP response. */
    readonly unreadMs: number
    /** Times for the pictures of an identity document. */
    readonly uploads: Partial<UploadLimits>
    /** Limits for downloads of files of payments. */
    readonly exports: Partial<ExportLimits>
  }
