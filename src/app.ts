import { startEngine, warmUpEngine, warmUpServer } from './composition/compose-engine.ts'
import { createTransports } from './composition/compose-transports.ts'
import { createMetrics } from './composition/metrics.ts'
import { type AppConfig, type AppOptions, startServices } from './composition/services.ts'
import type { Tracing } from './observability/tracing/tracing.ts'
import { watchUpstream } from './upstream/client/sites.ts'

export type { AppConfig, AppOptions }

export type App = {
  /** URL at which the app listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string
  /** URL of the separate server for metrics and probes, e.g. `http://127.0.0.1:9464`; null for none. */
  readonly adminUrl: string | null
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

/**
 * The composition root: creates every part once and passes it to the parts that need it. The order is services, engine,
 * transports. Tests and production use it alike.
 */
export async function createApp(config: AppConfig, options: AppOptions): Promise<App> {
  const {
    logger,
    clock = () => new Date(),
    timer,
    breaker = {},
    onFatal = () => {},
    limits = {},
    tail = {},
    shop,
  } = options
  let url = config.http.publicUrl
  const metrics = createMetrics(
    {
      sites: config.upstream.sites.map(({ id }) => id),
      sockets: () => transports.open().sockets,
      eventStreams: () => transports.open().eventStreams,
      callbacks: () => transports.open().callbacks,
      streams: () => backend.services.tail.listeners,
      isLeader: () => backend.isLeader(),
      readsHeldMs: (site) => backend.readsHeldMs(site),
      reads: () => backend.services.store.reads.backlog(clock()),
      redis: config.redis && (() => backend.redis?.isConnected === true),
      wakeUps: config.database.kind === 'sqlite' ? null : () => backend.wakeUps.isConnected,
    },
    clock,
  )
  for (const { setting, message } of config.warnings) logger.warn({ setting }, message)
  const tracing = await openTracing(config)
  const backend = await startServices(config, {
    logger,
    clock,
    timer,
    onFatal,
    publicUrl: () => url,
    observe: metrics,
    breaker,
    watch: watchUpstream(metrics.upstream, logger),
    tracing,
    tail,
    streamLimits: { ...config.http.socketLimits, ...limits },
    openStreams: () => transports.open(),
  })
  const engine = startEngine(config, { services: backend.services, logger, tracing })
  const transports = await createTransports(config, { engine, backend, metrics, tracing, logger, clock, limits, shop })

  const drain = async () => {
    await transports.drain()
    await engine.stop()
    await backend.close(LAST_WORK_MS)
    await tracing?.close()
  }
  let drained: Promise<void> | null = null
  const close = () => (drained ??= drain())

  const milliseconds = config.warmUpMs
  await warmUpEngine({ engine, services: backend.services, milliseconds })
  const listening = await transports.listen().catch(async (error: unknown) => {
    // After a failed start nothing stays open and the database is free, so that the caller can try again.
    await close()
    throw error
  })
  if (config.http.port === 0) url = listening.url
  await warmUpServer(listening.url, milliseconds / 4)
  transports.setReady()
  backend.start()
  return { ...listening, settle: () => backend.settle(), refetchTokenKeys: () => transports.refetchTokenKeys(), close }
}

async function openTracing({ tracesEndpoint, proxies }: AppConfig): Promise<Tracing | null> {
  if (tracesEndpoint === null) return null
  const { createTracing } = await import('./observability/tracing/tracing.ts')
  return createTracing(tracesEndpoint, proxies)
}
