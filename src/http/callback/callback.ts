import { z } from 'zod'

/** The address and options for the results of a subscription (HTTP callback protocol for GraphQL subscriptions 1.0). */
export type Callback = {
  /** One of the configured origins; no other is ever connected to. */
  readonly origin: string
  /** Path and query below the origin. */
  readonly path: string
  readonly id: string
  /** The router's secret, by which it verifies that a message belongs to the subscription. */
  readonly verifier: string
  /** Milliseconds between heartbeats; 0 for none. */
  readonly heartbeatMs: number
}

const MAX_CHARACTERS = 256
const MAX_URL_CHARACTERS = 2_048
const LEAST_HEARTBEAT_MS = 100
const LONGEST_HEARTBEAT_MS = 3_600_000
const DEFAULT_HEARTBEAT_MS = 5_000

const extension = z.object({
  callbackUrl: z.string().max(MAX_URL_CHARACTERS),
  subscriptionId: z.string().min(1).max(MAX_CHARACTERS),
  verifier: z.string().min(1).max(MAX_CHARACTERS),
  heartbeatIntervalMs: z.int().min(0).default(DEFAULT_HEARTBEAT_MS),
})

/** Why the callback address of an operation is refused. */
export type CallbackFault = 'malformed' | 'foreign'

/**
 * Reads the `subscription` extension of an operation. An address whose origin is not exactly one of `origins` is foreign: a
 * request alone never decides where results are sent.
 */
export function readCallback(asked: unknown, origins: ReadonlySet<string>): Callback | CallbackFault {
  const parsed = extension.safeParse(asked)
  if (!parsed.success) return 'malformed'
  const { callbackUrl, subscriptionId, verifier, heartbeatIntervalMs } = parsed.data
  // The URL parser would silently correct these characters.
  const url = /[\s\p{Cc}\\]/u.test(callbackUrl) ? null : URL.parse(callbackUrl)
  if (url === null) return 'malformed'
  const { origin, pathname, search, username, password, hash } = url
  if (username !== '' || password !== '' || hash !== '' || !origins.has(origin)) return 'foreign'
  return { origin, path: pathname + search, id: subscriptionId, verifier, heartbeatMs: heartbeat(heartbeatIntervalMs) }
}

function heartbeat(asked: number): number {
  return asked === 0 ? 0 : Math.min(Math.max(asked, LEAST_HEARTBEAT_MS), LONGEST_HEARTBEAT_MS)
}
