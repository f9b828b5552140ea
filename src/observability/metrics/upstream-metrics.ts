import { Counter, Gauge, type Registry } from 'prom-client'
import { createCount, createHistogram } from './series.ts'

/** A request to the payments API, with the status of its answer or the code of its fault. */
type Attempt = {
  readonly siteId: string
  /** Name of the call, such as `getPayin`. */
  readonly endpoint: string
  readonly outcome: number | { readonly code: string }
  readonly durationMs: number
}

export type UpstreamMetrics = {
  /** Counts and times one request to the payments API. */
  attempted(attempt: Attempt): void
  breakerChanged(change: { readonly siteId: string; readonly state: string }): void
  /** Counts an answer that was about something else than what was requested. */
  mismatched(site: string): void
  /** Notes by how many milliseconds the clock of the payments API is ahead. */
  clockRead(offsetMs: number): void
}

export type UpstreamSources = {
  /** Ids of the sites. */
  readonly sites: readonly string[]
  /** How many requests of a site may still be repeated. */
  readonly retriesLeft: (site: string) => number
}

/** In seconds; the last one is the longest time that a request may take. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25]

/**
 * Metrics of the payments API. Labels are site ids, names of calls, and outcomes from a fixed list (`success`, `refused`,
 * `not-sent.dns`, `unknown.timeout`), so that the number of series is bounded.
 */
export function createUpstreamMetrics(registry: Registry, { sites, retriesLeft }: UpstreamSources): UpstreamMetrics {
  const registers = [registry]
  const requests = createCount(registry, {
    name: 'payments_upstream_requests_total',
    help: 'Requests to the payments API, counting each attempt, by site, endpoint and outcome.',
    labelNames: ['site', 'endpoint', 'outcome'],
  })
  const durations = createHistogram(registry, {
    name: 'payments_upstream_request_duration_seconds',
    help: 'How long requests to the payments API took, waiting for a slot included.',
    labelNames: ['site', 'endpoint'],
    buckets: BUCKETS,
  })
  const breakers = new Gauge({
    name: 'payments_upstream_breaker_open',
    help: '1 while the breaker of a site keeps requests from the payments API, up to the answer to its probe.',
    labelNames: ['site'],
    registers,
  })
  registry.registerMetric(
    new Gauge({
      name: 'payments_upstream_retry_budget',
      help: 'How many requests of a site may still be repeated; ten requests earn one, up to ten.',
      labelNames: ['site'],
      registers,
      collect() {
        for (const site of sites) this.set({ site }, retriesLeft(site))
      },
    }),
  )
  const mismatches = new Counter({
    name: 'payments_upstream_mismatches_total',
    help: 'Answers of the payments API about another subject than the requested one.',
    labelNames: ['site'],
    registers,
  })
  const offset = new Gauge({
    name: 'payments_upstream_clock_offset_seconds',
    help: 'By how much the clock of the payments API is ahead of this process, to half a second.',
    registers,
  })
  // Unknown before the first response.
  offset.remove()
  for (const site of sites) {
    breakers.set({ site }, 0)
    mismatches.inc({ site }, 0)
  }
  return {
    attempted({ siteId: site, endpoint, outcome, durationMs }) {
      requests(site, endpoint, typeof outcome === 'number' ? 'success' : outcome.code)
      durations(durationMs / 1000, site, endpoint)
    },
    breakerChanged: ({ siteId: site, state }) => breakers.set({ site }, state === 'closed' ? 0 : 1),
    mismatched: (site) => mismatches.inc({ site }),
    clockRead: (milliseconds) => offset.set(milliseconds / 1_000),
  }
}
