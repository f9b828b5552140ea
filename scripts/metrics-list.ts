import { createMetrics } from '../src/observability/metrics/metrics.ts'
import { withTable } from './settings-tables.ts'

const NOTHING = { position: 0, unreadSince: null }

/** Returns the page with the list of all metrics of the product with their labels, between its two comments. */
export function withMetrics(page: string): string {
  const { registry } = createMetrics(
    {
      build: { version: '', node: '', database: '' },
      sites: [],
      retriesLeft: () => 0,
      limits: () => ({}),
      webhookKinds: [],
      store: {
        figures: async () => ({ sizeBytes: 0, writeAheadBytes: null, diskFreeBytes: null, connections: null }),
        isUp: () => true,
        position: () => 0,
        head: async () => NOTHING,
        clockOffsetMs: async () => null,
      },
      sockets: () => 0,
      eventStreams: () => 0,
      callbacks: () => 0,
      streams: () => 0,
      isLeader: () => false,
      readsHeldMs: () => 0,
      reads: async () => ({ unconfirmedSince: null, doubtSince: null, waiting: 0, due: [] }),
      redis: () => true,
      wakeUps: () => true,
    },
    () => new Date(0),
  )
  const metrics = registry.getMetricsAsArray() as readonly { name: string; labelNames?: readonly string[] }[]
  const lines = metrics
    .filter(({ name }) => name.startsWith('payments_'))
    .map(({ name, labelNames = [] }) => (labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`))
  return withTable(page, 'metrics', ['```text', ...lines.toSorted(), '```'])
}
