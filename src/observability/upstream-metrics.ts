import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** A request to the payments API, with the status of its answer or the code of its fault. */
type Attempt = {
  readonly siteId: string
  readonly method: string
  readonly outcome: number | { readonly code: string }
  readonly durationMs: number
}

export type UpstreamMetrics = {
  /** Counts and times one request to the payments API. */
  attempted(attempt: Attempt): void
  breakerChanged(change: { readonly siteId: string; readonly state: string }): void
  /** Counts an answer that was about something else than what was requested. */
  mismatched(site: string): void
}

/** In seconds; the last one is the longest time that a request may take. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25]

/**
 * Metrics of the payments API. Labels are site ids, HTTP methods, and outcomes from a fixed list (`success`, `refused`,
 * `not-sent.dns`, `unknown.timeout`), so that the number of series is bounded.
 */
export function createUpstreamMetrics(registry: Registry, sites: readonly string[]): UpstreamMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'payments_upstream_requests_total',
    help: 'Requests to the payments API, counting each attempt, by site and outcome.',
    labelNames: ['site', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'payments_upstream_request_seconds',
    help: 'How long requests to the payments API took, waiting for a slot included.',
    labelNames: ['site', 'method'],
    buckets: BUCKETS,
    registers,
  })
  const breakers = new Gauge({
    name: 'payments_upstream_breaker_open',
    help: '1 while the breaker of a site keeps requests from the payments API, up to the answer to its probe.',
    labelNames: ['site'],
    registers,
  })
  const mismatches = new Counter({
    name: 'payments_upstream_mismatches_total',
    help: 'Answers of the payments API about another subject than the requested one.',
    labelNames: ['site'],
    registers,
  })
  for (const site of sites) {
    breakers.set({ site }, 0)
    mismatches.inc({ site }, 0)
  }
  return {
    attempted: ({ siteId: site, method, outcome, durationMs }) => {
      requests.inc({ site, outcome: typeof outcome === 'number' ? 'success' : outcome.code })
      durations.observe({ site, method }, durationMs / 1000)
    },
    breakerChanged: ({ siteId: site, state }) => breakers.set({ site }, state === 'closed' ? 0 : 1),
    mismatched: (site) => mismatches.inc({ site }),
  }
}
