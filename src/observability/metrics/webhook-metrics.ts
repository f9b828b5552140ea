import { Gauge, type Registry } from 'prom-client'
import { createCount, createHistogram } from './series.ts'

export type WebhookMetrics = {
  /** Counts a webhook, and times it if it was stored. */
  webhookAnswered(webhook: ObservedWebhook): void
  /** Notes that the payments API has sent a webhook, whether or not it could be stored. */
  webhookAuthentic(kind: string): void
  /** Times an event from its record to its hand-over to a stream. */
  eventDelivered(seconds: number): void
  /** Counts a callback by the id of the key that has verified it. */
  callbackVerified(keyId: string): void
  /** Counts a callback that was refused because its key is not listed any more. */
  callbackUnderUnknownKey(): void
  /** Counts a payment through a link that was never returned to a client. */
  orphanLinkPaid(): void
}

export type ObservedWebhook = {
  readonly kind: string
  readonly status: number
  /** `none` if it was not stored. */
  readonly disposition: string
  /** Why it was refused; `none` if it was stored. */
  readonly reason: string
  readonly milliseconds: number
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Metrics of webhooks and of their way to subscribers. `kinds` are those of the addresses. */
export function createWebhookMetrics(registry: Registry, kinds: readonly string[], clock: () => Date): WebhookMetrics {
  const answered = createCount(registry, {
    name: 'payments_webhooks_total',
    help: 'Answered webhooks by kind, HTTP status, disposition of what was stored, and reason of a refusal.',
    labelNames: ['kind', 'status', 'disposition', 'reason'],
  })
  const stored = createHistogram(registry, {
    name: 'payments_webhook_store_duration_seconds',
    help: 'Time from the receipt of a webhook to its commit.',
    labelNames: ['kind'],
    buckets: BUCKETS,
  })
  const delivered = createHistogram(registry, {
    name: 'payments_event_delivery_duration_seconds',
    help: 'Time from the record of an event, at any node, to its hand-over to a live stream of this one.',
    labelNames: [],
    buckets: BUCKETS,
  })
  const lastAuthentic = new Map(kinds.map((kind) => [kind, 0]))
  registry.registerMetric(
    new Gauge({
      name: 'payments_webhook_last_authentic_timestamp_seconds',
      help: 'Time of the last webhook with a valid signature or callback authorization at this process; 0 before the first.',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        for (const [kind, at] of lastAuthentic) this.set({ kind }, at / 1_000)
      },
    }),
  )
  const verified = createCount(registry, {
    name: 'payments_callbacks_verified_total',
    help: 'Webhooks and callbacks at the address of a command, by the id of the key that has verified them.',
    labelNames: ['key'],
  })
  const unknownKeys = createCount(registry, {
    name: 'payments_callbacks_unknown_key_total',
    help: 'The same, refused because their key is not, or no longer, listed in CALLBACK_KEYS or SIGNING_KEYS.',
    labelNames: [],
  })
  const orphans = createCount(registry, {
    name: 'payments_orphan_links_paid_total',
    help: 'Payments through links whose creation was unanswered, and which no client received: an operator must act.',
    labelNames: [],
  })
  return {
    webhookAnswered({ kind, status, disposition, reason, milliseconds }) {
      answered(kind, status, disposition, reason)
      if (status === 200) stored(milliseconds / 1_000, kind)
    },
    webhookAuthentic: (kind) => void lastAuthentic.set(kind, clock().getTime()),
    eventDelivered: delivered,
    callbackVerified: verified,
    callbackUnderUnknownKey: unknownKeys,
    orphanLinkPaid: orphans,
  }
}
