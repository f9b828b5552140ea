import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'

/** What is counted, and what is read at the moment somebody looks. */
export type Metrics = {
  readonly registry: Registry
  /** Counts a webhook by the answer's status, and by what became of it. */
  webhookAnswered(status: number, disposition: string): void
}

export type Gauges = {
  readonly sockets: () => number
  readonly streams: () => number
}

/** The figures of one process, in Prometheus' form. Each app has a registry of its own. */
export function createMetrics(gauges: Gauges): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const webhooks = new Counter({
    name: 'payments_webhooks_total',
    help: 'Webhooks answered, by HTTP status and by what became of them.',
    labelNames: ['status', 'disposition'],
    registers,
  })
  addGauge('payments_sockets_open', 'WebSocket connections that are open.', gauges.sockets)
  addGauge('payments_streams_open', 'Streams of events that are being followed.', gauges.streams)
  return {
    registry,
    webhookAnswered: (status, disposition) => webhooks.inc({ status, disposition }),
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
}
