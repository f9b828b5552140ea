import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createReadMetrics, type ReadMetrics, type ReadSources } from './read-metrics.ts'
import { createRequestMetrics, type RequestMetrics } from './request-metrics.ts'
import { createStoreMetrics, type StoreMetrics, type StoreSources } from './store-metrics.ts'
import { createUpstreamMetrics, type UpstreamMetrics, type UpstreamSources } from './upstream-metrics.ts'
import { createWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts'

export type { TurnedAway } from './request-metrics.ts'

/** Counters, and gauges that are read at each scrape. */
export type Metrics = RequestMetrics &
  WebhookMetrics &
  StoreMetrics &
  ReadMetrics & {
    readonly registry: Registry
    readonly upstream: UpstreamMetrics
  }

/** How much of a limit is used at this process by the address or the caller that uses most of it. A `maximum` of 0 is no limit. */
export type LimitUse = { readonly used: number; readonly maximum: number }

export type Gauges = ReadSources &
  UpstreamSources & {
    readonly store: StoreSources
    /** Labels of `payments_build_info`. */
    readonly build: Readonly<Record<'version' | 'node' | 'database', string>>
    readonly sockets: () => number
    readonly eventStreams: () => number
    readonly callbacks: () => number
    readonly streams: () => number
    /** The limits of connections, sockets and streams by name. */
    readonly limits: () => Readonly<Record<string, LimitUse>>
    /** The kinds of webhooks. */
    readonly webhookKinds: readonly string[]
    /** Whether Redis answers; null if none is configured. */
    readonly redis: (() => boolean) | null
    /** Whether wake-ups of other nodes arrive; null on a database that only one process uses. */
    readonly wakeUps: (() => boolean) | null
  }

/** Gauges of prom-client that are named as counters. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** The metrics of one process, in Prometheus format. Each app has its own registry. `clock` is used for ages. */
export function createMetrics(gauges: Gauges, clock: () => Date): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const labelNames = Object.keys(gauges.build)
  new Gauge({ name: 'payments_build_info', help: 'What runs: always 1.', labelNames, registers }).set(gauges.build, 1)
  addGauge('payments_sockets_open', 'WebSocket connections that are open.', gauges.sockets)
  addGauge(
    'payments_event_streams_open',
    'Open streams of server-sent events and multipart subscriptions.',
    gauges.eventStreams,
  )
  addGauge('payments_callback_subscriptions_open', 'Subscriptions with callbacks to a router.', gauges.callbacks)
  addGauge('payments_streams_open', 'Streams of events that are being followed.', gauges.streams)
  addLimitGauge('payments_limit_used', 'Most that one address or caller uses of a limit, or all together.', 'used')
  addLimitGauge('payments_limit_maximum', 'The limit; 0 for none.', 'maximum')
  addSwitch(
    'payments_redis_connected',
    '1 while Redis answers; 0 while this process continues without it.',
    gauges.redis,
  )
  addSwitch(
    'payments_wake_ups_connected',
    '1 while other nodes announce their events to this one; 0 while they are found by polling.',
    gauges.wakeUps,
  )
  return {
    registry,
    ...createRequestMetrics(registry),
    ...createWebhookMetrics(registry, gauges.webhookKinds, clock),
    ...createStoreMetrics(registry, gauges.store, clock),
    ...createReadMetrics(registry, gauges, clock),
    upstream: createUpstreamMetrics(registry, gauges),
  }

  /** Nothing without a `read`. */
  function addSwitch(name: string, help: string, read: (() => boolean) | null): void {
    if (read !== null) addGauge(name, help, () => Number(read()))
  }

  function addGauge(name: string, help: string, read: () => number): void {
    const gauge = new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
    gauge.set(0)
  }

  function addLimitGauge(name: string, help: string, figure: keyof LimitUse): void {
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: ['limit'],
        registers,
        collect() {
          for (const [limit, use] of Object.entries(gauges.limits())) this.set({ limit }, use[figure])
        },
      }),
    )
  }
}
