import { Pool } from 'undici'
import { z } from 'zod'

/** A message to a router about a subscription. A check asks whether it still has the subscription. `payload` and `errors` are JSON. */
export type CallbackMessage =
  | { readonly action: 'check' }
  | { readonly action: 'next'; readonly payload: string }
  | { readonly action: 'complete'; readonly errors?: string }

/** `refused` is final: the router does not accept the message. `failed` may succeed on a retry. */
type Reception = 'taken' | 'refused' | 'failed'

export type RouterClient = {
  send(callback: Callback, message: CallbackMessage): Promise<Reception>
  /** Aborts the requests in progress. */
  close(): Promise<void>
}

export const PROTOCOL_HEADER = 'subscription-protocol'
export const PROTOCOL = 'callback/1.0'

/** Timeouts in milliseconds. A slow router delays only its own subscription. */
// Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
const CONNECT = { timeout: 2_000, rejectUnauthorized: true }
const ANSWER_MS = 5_000
const CONNECTIONS = 50
/** Bytes of a response body that are read, so that the connection can be reused. */
const BODY_BYTES = 16 * 1024

/**
 * Sends callbacks to the configured origins over a separate connection pool, so that a slow router uses up no connections to
 * the payments API. A redirect is not followed and counts as a refusal.
 */
export function createRouterClient(origins: readonly string[]): RouterClient {
  const pools = new Map(
    origins.map((origin) => [origin, new Pool(origin, { connections: CONNECTIONS, connect: CONNECT })]),
  )
  return {
    async send(callback, message) {
      const pool = pools.get(callback.origin)
      if (pool === undefined) return 'refused'
      try {
        const { statusCode, headers, body } = await pool.request({
          method: 'POST',
          path: callback.path,
          headers: { 'content-type': 'application/json', accept: 'application/json', [PROTOCOL_HEADER]: PROTOCOL },
          body: bodyOf(callback, message),
          signal: AbortSignal.timeout(ANSWER_MS),
        })
        await body.dump({ limit: BODY_BYTES })
        return received(message, statusCode, headers[PROTOCOL_HEADER])
      } catch {
        return 'failed'
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

function bodyOf({ id, verifier }: Callback, message: CallbackMessage): string {
  const { action } = message
  const head = JSON.stringify({ kind: 'subscription', action, id, verifier }).slice(0, -1)
  if (action === 'next') return `${head},"payload":${message.payload}}`
  return action === 'complete' && message.errors !== undefined ? `${head},"errors":${message.errors}}` : `${head}}`
}

const TOO_MANY = 429

function received({ action }: CallbackMessage, status: number, protocol: string | string[] | undefined): Reception {
  if (status >= 500 || status === TOO_MANY) return 'failed'
  if (status < 200 || status >= 300) return 'refused'
  // Any server may answer 2xx: a check must show that this one implements the protocol.
  return action === 'check' && (status !== 204 || protocol !== PROTOCOL) ? 'refused' : 'taken'
}

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
type CallbackFault = 'malformed' | 'foreign'

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
