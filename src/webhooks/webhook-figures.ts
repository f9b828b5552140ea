import { createRecentSamples, quantile } from '../lib/recent-samples.ts'
import type { WebhookResponse } from './webhook-handler.ts'

/** Why a webhook was refused, as far as its sender can be told apart. Nothing of it is kept. */
export type PaymentsWebhookRefusal =
  | 'SIGNATURE'
  | 'CALLBACK_KEY'
  | 'UNKNOWN_ADDRESS'
  | 'UNREADABLE'
  | 'METHOD'
  | 'TOO_LARGE'
  | 'TOO_SLOW'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'

/** What this process has seen of webhooks. Times in milliseconds; null without webhooks. */
export type PaymentsWebhookFigures = {
  /** Stored webhooks of the last 15 minutes, the latest 1,000 at most. */
  readonly recent: { readonly count: number; readonly medianMs: number | null; readonly p95Ms: number | null }
  /** Refused ones since the start of the process. */
  readonly refused: { readonly reason: PaymentsWebhookRefusal; readonly count: number; readonly lastAt: Date }[]
}

export type WebhookFigures = {
  /** Is told each answer, and how long it took from the head of the request. */
  answered(response: WebhookResponse, durationMs: number): void
  figures(): PaymentsWebhookFigures
}

/** Samples that are kept, and for how long. */
const RECENT = { most: 1_000, maxAgeMs: 15 * 60_000 } as const

const REASONS: Readonly<Record<number, PaymentsWebhookRefusal>> = {
  400: 'UNREADABLE',
  404: 'UNKNOWN_ADDRESS',
  405: 'METHOD',
  408: 'TOO_SLOW',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
}

/** Creates the figures of the webhooks of a process. */
export function createWebhookFigures(clock: () => Date): WebhookFigures {
  const times = createRecentSamples<number>(RECENT, clock)
  const refused = new Map<PaymentsWebhookRefusal, { readonly count: number; readonly lastAt: Date }>()
  return {
    answered({ status, outcome, isUnread }, durationMs) {
      if (outcome !== null) return times.add(Math.ceil(durationMs))
      if (status === 200) return
      // A body is read only at an address whose Authorization is right: then its signature is wrong.
      const reason = REASONS[status] ?? (isUnread ? 'CALLBACK_KEY' : 'SIGNATURE')
      refused.set(reason, { count: (refused.get(reason)?.count ?? 0) + 1, lastAt: clock() })
    },
    figures() {
      const recent = times.list()
      return {
        recent: { count: recent.length, medianMs: quantile(recent, 0.5), p95Ms: quantile(recent, 0.95) },
        refused: Array.from(refused, ([reason, seen]) => ({ reason, ...seen })),
      }
    },
  }
}
