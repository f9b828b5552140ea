import type { AppConfig, AppOptions } from './composition/app-config.ts'
import { startEngine } from './composition/compose-engine.ts'
import { createTransports } from './composition/compose-transports.ts'
import { createMetrics } from './composition/metrics.ts'
import { startServices } from './composition/services.ts'
import { warmUpEngine, warmUpServer } from './composition/warm-up.ts'
import type { Tracing } from './observability/tracing/tracing.ts'
import { watchUpstream } from './upstream/client/observe-upstream.ts'

export type { AppConfig, AppOptions }

export type App = {
  /** Where it listens, e.g. `http://127.0.0.1:4000`. */
  readonly url: string
  /** Where metrics and probes are served apart from clients, e.g. `http://127.0.0.1:9464`; null when nowhere. */
  readonly adminUrl: string | null
  /** Waits until no read of the payments API is under way. */
  settle(): Promise<void>
  /**
   * Fetches the keys that client tokens are verified with, instead of within five minutes; tokens of withdrawn keys are refused
   * from then on, and their streams end. When the issuer does not answer, nothing changes.
   */
  refetchTokenKeys(): Promise<void>
  /**
   * Drains: new work is turned away, sockets are told to come back, what is under way is finished and stored. A second
   * call waits for the first.
   */
  close(): Promise<void>
}

/** How long what is behind the transports may take to end, in milliseconds; what is not ended is on record as begun. */
const LAST_WORK_MS = 1_500

/** Since the process is ready, in milliseconds: what few requests need is loaded then, after the first ones have been answered. */
const LOAD_LATER_MS = 1_000

/**
 * The composition root: everything is made once, and handed to what needs it. What stands behind the transports comes first,
 * then what runs operations, then the ways in. Tests and production call it alike.
 */
export async function createApp(config: AppConfig, options: AppOptions): Promise<App> {
  const { logger, clock = () => new Date(), timer, breaker = {}, onFatal = () => {}, limits = {} } = options
  let url = config.http.publicUrl
  const metrics = createMetrics(
    {
      sites: config.upstream.sites.map(({ id }) => id),
      sockets: () => transports.open().sockets,
      eventStreams: () => transports.open().eventStreams,
      callbacks: () => transports.open().callbacks,
      streams: () => backend.services.tail.listeners,
      reads: () => backend.services.store.reads.backlog(clock()),
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
    streamLimits: { ...config.http.socketLimits, ...limits },
    openStreams: () => transports.open(),
  })
  const engine = startEngine(config, { services: backend.services, logger, tracing })
  const transports = await createTransports(config, { engine, backend, metrics, tracing, logger, clock, limits })

  let loadingLater: NodeJS.Timeout | undefined
  const drain = async () => {
    clearTimeout(loadingLater)
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
    // Whoever called may try again: nothing stays open, and the database is free.
    await close()
    throw error
  })
  if (config.http.port === 0) url = listening.url
  await warmUpServer(listening.url, milliseconds / 4)
  transports.setReady()
  backend.start()
  loadingLater = setTimeout(() => void engine.loadTraces(), LOAD_LATER_MS)
  return { ...listening, settle: () => backend.settle(), refetchTokenKeys: () => transports.refetchTokenKeys(), close }
}

async function openTracing({ tracesEndpoint }: AppConfig): Promise<Tracing | null> {
  if (tracesEndpoint === null) return null
  const { createTracing } = await import('./observability/tracing/tracing.ts')
  return createTracing(tracesEndpoint)
}
