import type { Registry } from 'prom-client'
import { createCount, createHistogram } from './series.ts'

/** Why a request, a connection or a stream was refused before it was processed. */
export type TurnedAway =
  | 'overload'
  | 'failed_authentication'
  | 'connections'
  | 'sockets_per_address'
  | 'sockets_per_caller'
  | 'streams_per_address'
  | 'streams_per_caller'
  | 'callback_subscriptions'
  | 'subscriptions_per_caller'

export type RequestMetrics = {
  /**
   * Counts and times an operation, over every transport: by its kind, its name if the document is a trusted one, and `success` or the
   * code of its error.
   */
  operationEnded(operation: ObservedOperation): void
  /** Counts and times an HTTP request up to the head of its response. */
  requestAnswered(route: string, status: number, milliseconds: number): void
  /** Counts what was refused before it was processed. */
  turnedAway(reason: TurnedAway): void
  /** Counts a client token that was refused. */
  tokenRefused(reason: string): void
  /** Counts the outcome of a command. */
  commandEnded(mutation: string, outcome: string): void
}

export type ObservedOperation = {
  readonly kind: string
  readonly name: string
  readonly outcome: string
  readonly milliseconds: number
}

/** In seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of the requests of clients. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const operations = createCount(registry, {
    name: 'payments_graphql_requests_total',
    help: 'GraphQL operations over every transport, by kind, name (of trusted documents; else other) and success or error code.',
    labelNames: ['kind', 'operation', 'outcome'],
  })
  const operationSeconds = createHistogram(registry, {
    name: 'payments_graphql_request_duration_seconds',
    help: 'Duration of the same, without the wait in the queue; of a subscription up to its start.',
    labelNames: ['kind', 'operation'],
    buckets: BUCKETS,
  })
  const requests = createCount(registry, {
    name: 'payments_http_requests_total',
    help: 'HTTP requests by route and status of the response.',
    labelNames: ['route', 'status'],
  })
  const requestSeconds = createHistogram(registry, {
    name: 'payments_http_request_duration_seconds',
    help: 'Time from the request to the head of its response, queue and body included.',
    labelNames: ['route'],
    buckets: BUCKETS,
  })
  const turnedAway = createCount(registry, {
    name: 'payments_turned_away_total',
    help: 'Requests, connections, sockets and streams refused before they were processed, by reason.',
    labelNames: ['reason'],
  })
  const tokens = createCount(registry, {
    name: 'payments_tokens_refused_total',
    help: 'Refused client tokens: expired, not_yet_valid (compare the clocks) or invalid.',
    labelNames: ['reason'],
  })
  const commands = createCount(registry, {
    name: 'payments_commands_total',
    help: 'Commands to the payments API by mutation and outcome.',
    labelNames: ['mutation', 'outcome'],
  })
  return {
    operationEnded({ kind, name, outcome, milliseconds }) {
      operations(kind, name, outcome)
      operationSeconds(milliseconds / 1_000, kind, name)
    },
    requestAnswered(route, status, milliseconds) {
      requests(route, status)
      requestSeconds(milliseconds / 1_000, route)
    },
    turnedAway,
    tokenRefused: tokens,
    commandEnded: commands,
  }
}
