import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOutboundAgent, NO_PROXIES, type Proxies } from '../../lib/outbound-agent.ts'
import type { BreakerSettings, BreakerState } from '../resilience/breaker.ts'
import {
  createResiliencePolicy,
  type ResiliencePolicy,
  type Method,
  retryDelayMs,
  shouldRetry,
} from '../resilience/resilience-policy.ts'
import { readAnswer, type UpstreamResponse, notSent, UpstreamFault } from '../upstream-fault.ts'
import {
  exchange,
  type WireRequest,
  baseAddress,
  type UpstreamRequest,
  type UpstreamUpload,
  uploadRequest,
  wireRequest,
} from './exchange.ts'
import type { Site, Sites } from './sites.ts'

/** All in milliseconds. */
type Deadlines = {
  readonly connect: number
  /** From the start of the request to the end of the response headers. */
  readonly headers: number
  /** Over all attempts of one request, including waits. */
  readonly get: number
  readonly post: number
  /** For an upload: as long as a slow client may take, and the answer. */
  readonly upload: number
  /** Longest wait of one attempt of a GET for a slot of the semaphore, so that enough time remains for the response. */
  readonly getSlot: number
  /** From the start of a POST to the slot of its last attempt, including waits and failed attempts. */
  readonly postSlot: number
}

type TransportLimits = {
  readonly answerBytes: number
  readonly concurrentPerSite: number
  readonly uploadsPerSite: number
}

export type TransportOptions = {
  /** Ends in `/api`; https, or http on loopback (docs/payments-api.md, section 5). */
  readonly baseUrl: string
  readonly sites: Sites
  /** Default: none. */
  readonly proxies?: Proxies
  readonly deadlines?: Partial<Deadlines>
  readonly limits?: Partial<TransportLimits>
  /** Settings of the circuit breakers; each site has its own. */
  readonly breaker?: Partial<BreakerSettings>
  /** Called whenever the circuit breaker of a site opens, lets a probe through, or closes. */
  readonly onBreaker?: (change: BreakerChange) => void
  /** Called after each attempt, for metrics; the event contains no payer data and no secrets. */
  readonly observe?: (attempt: AttemptSeen) => void
  /** Called with the milliseconds by which the clock of the payments API is ahead, by a response that names its time. */
  readonly onClock?: (offsetMs: number) => void
  /** Returns the trace context headers of a request. */
  readonly traceHeaders?: () => Readonly<Record<string, string>>
  /** Random number from 0 up to 1, for the jitter of retry delays. */
  readonly random?: () => number
}

export type BreakerChange = { readonly siteId: string; readonly state: BreakerState }

export type AttemptSeen = {
  readonly siteId: string
  readonly method: Method
  /**
   * Whether the request carried an access token, which the payments API may refuse although it accepts the site's credentials.
   */
  readonly hasAccessToken: boolean
  /** 1 for the first. */
  readonly attempt: number
  /** The HTTP status of a success, or the fault. */
  readonly outcome: number | UpstreamFault
  readonly durationMs: number
  /** As sent in `x-request-id`. */
  readonly requestId: string
}

export type Transport = {
  /**
   * Calls the payments API with the credentials of a site. Rejects with an `UpstreamFault`, after the retries that are safe and
   * fit the deadline. The caller cannot cancel the call, because a request that was sent may take effect.
   */
  request(site: Site, request: UpstreamRequest): Promise<UpstreamResponse>
  /**
   * Sends a body as it comes, once. Uploads have slots of their own, because a slow client holds one for minutes; if all are taken, it rejects at
   * once. Rejects with an `UpstreamFault`; if the body throws, with that error, unless the payments API has answered by then.
   */
  upload(site: Site, upload: UpstreamUpload): Promise<UpstreamResponse>
  /** Waits for running requests, rejects new ones, and closes the connections. A second call waits for the first. */
  close(): Promise<void>
  /** Returns how many requests of a site may still be repeated. */
  retriesLeft(siteId: string): number
}

/** How long a caller waits for the outcome of a command, in milliseconds; after that the outcome is unknown to the caller. */
export const COMMAND_PATIENCE_MS = 8_000

const DEADLINES: Deadlines = {
  connect: 2_000,
  headers: 10_000,
  get: 15_000,
  post: 25_000,
  upload: 150_000,
  getSlot: 10_000,
  // The other half is for the connection and the answer: a command that was not sent is refused while its caller still waits.
  postSlot: COMMAND_PATIENCE_MS / 2,
}
const LIMITS: TransportLimits = { answerBytes: 1_048_576, concurrentPerSite: 20, uploadsPerSite: 16 }

/** Shorter than the usual keep-alive of servers, so that a request seldom uses a connection that the server is closing. */
const IDLE_MS = 4_000
const LONGEST_IDLE_MS = 30_000

/**
 * Creates the transport: one connection pool for the base URL, and per site a semaphore, a circuit breaker and a retry budget, so
 * that trouble with one site does not affect another. Throws `TypeError` for a base URL that is neither https nor on loopback.
 */
export function createTransport(options: TransportOptions): Transport {
  const base = baseAddress(options.baseUrl)
  const deadlines = { ...DEADLINES, ...options.deadlines }
  const limits = { ...LIMITS, ...options.limits }
  const agent = createOutboundAgent(options.proxies ?? NO_PROXIES, {
    connectMs: deadlines.connect,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: LONGEST_IDLE_MS,
  })
  const policies = new Map(options.sites.all.map((site) => [site.id, policyOf(site)]))

  function policyOf(site: Site): ResiliencePolicy {
    const { id: siteId } = site
    return createResiliencePolicy({
      concurrent: limits.concurrentPerSite,
      breaker: options.breaker,
      onBreaker: (state) => options.onBreaker?.({ siteId, state }),
    })
  }

  function attempt(site: Site, wire: WireRequest, { until, slotUntil }: RequestTimes): Promise<UpstreamResponse> {
    const longest = wire.method === 'GET' ? deadlines.getSlot : Infinity
    const slotMs = Math.min(longest, slotUntil - performance.now())
    return policyFor(site).pass(Math.max(slotMs, 0), async () => {
      const exchangeLimits = {
        headersMs: deadlines.headers,
        totalMs: until - performance.now(),
        answerBytes: limits.answerBytes,
      }
      const answer = await exchange(agent, wire, exchangeLimits)
      noteClock(answer.headers['date'])
      return readAnswer(answer, site.id)
    })
  }

  function noteClock(date: string | string[] | undefined): void {
    const told = typeof date === 'string' ? Date.parse(date) : Number.NaN
    // The header has whole seconds, so that half a second has passed on average.
    if (!Number.isNaN(told)) options.onClock?.(told + 500 - Date.now())
  }

  function policyFor(site: Site): ResiliencePolicy {
    const policy = policies.get(site.id)
    if (policy === undefined) throw notSent('invalid-request', `Site ${site.id} is not one of this transport's.`)
    return policy
  }

  function timesOf({ method, withinMs = Infinity, startedAt = performance.now() }: UpstreamRequest): RequestTimes {
    const until = startedAt + Math.min(method === 'GET' ? deadlines.get : deadlines.post, withinMs)
    return { until, slotUntil: method === 'GET' ? until : Math.min(until, startedAt + deadlines.postSlot) }
  }

  async function retried(site: Site, asked: UpstreamRequest): Promise<UpstreamResponse> {
    const policy = policyFor(site)
    const requestId = randomUUID()
    const headers = { ...asked.headers, ...options.traceHeaders?.() }
    const wire = wireRequest(base, site, { ...asked, headers }, requestId)
    const times = timesOf(asked)
    policy.budget.earn()
    const hasAccessToken = 'access-token' in wire.headers
    for (let number = 1; ; number += 1) {
      const seen = { siteId: site.id, method: asked.method, hasAccessToken, attempt: number, requestId }
      const result = await observed(() => attempt(site, wire, times), seen)
      if (!(result instanceof UpstreamFault)) return result
      const remainingMs = times.until - performance.now()
      const failed = { method: asked.method, attempt: number, fault: result.detail, remainingMs }
      const delayMs = retryDelayMs(failed, options.random)
      // If the remaining time is too short to connect, another attempt could only turn a certain failure into an unknown outcome.
      const late = performance.now() + delayMs >= Math.min(times.slotUntil, times.until - deadlines.connect)
      if (late || !shouldRetry(failed) || policy.isClosedOff() || !policy.budget.spend()) throw result
      await sleep(delayMs)
    }
  }

  async function observed(
    run: () => Promise<UpstreamResponse>,
    seen: Omit<AttemptSeen, 'outcome' | 'durationMs'>,
  ): Promise<UpstreamResponse | UpstreamFault> {
    const start = performance.now()
    const result = await run().catch(faultOrThrow)
    const outcome = result instanceof UpstreamFault ? result : result.status
    options.observe?.({ ...seen, outcome, durationMs: performance.now() - start })
    return result
  }

  const uploading = new Map<string, number>()

  async function uploaded(site: Site, asked: UpstreamUpload): Promise<UpstreamResponse> {
    if (policyFor(site).isClosedOff()) throw notSent('unreachable', 'The circuit breaker is open.')
    const others = uploading.get(site.id) ?? 0
    if (others >= limits.uploadsPerSite) throw notSent('no-slot')
    uploading.set(site.id, others + 1)
    try {
      return await sentAsItComes(site, asked)
    } finally {
      uploading.set(site.id, (uploading.get(site.id) ?? 1) - 1)
    }
  }

  async function sentAsItComes(site: Site, asked: UpstreamUpload): Promise<UpstreamResponse> {
    const requestId = randomUUID()
    const source = watched(asked.body.bytes)
    const wire = uploadRequest(base, site, { ...asked, body: { ...asked.body, bytes: source.bytes } }, requestId)
    const ms = deadlines.upload
    const seen = { siteId: site.id, method: 'POST', hasAccessToken: false, attempt: 1, requestId } as const
    const result = await observed(async () => {
      const answer = await exchange(agent, wire, { headersMs: ms, totalMs: ms, answerBytes: limits.answerBytes })
      return readAnswer(answer, site.id)
    }, seen)
    if (!(result instanceof UpstreamFault)) return result
    throw result.kind === 'unknown' && source.failure !== null ? source.failure : result
  }

  let closing: Promise<void> | null = null
  return {
    request: retried,
    upload: uploaded,
    retriesLeft: (siteId) => policies.get(siteId)?.budget.left() ?? 0,
    close: () => {
      closing ??= agent.close()
      return closing
    },
  }
}

/** Instants of `performance.now()`. */
type RequestTimes = {
  /** End of the request. */
  readonly until: number
  /** No attempt gets a slot later than this. */
  readonly slotUntil: number
}

/** Passes chunks on, and remembers the error with which they end. */
function watched(bytes: AsyncIterable<Uint8Array>): {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly failure: Error | null
} {
  const seen: { failure: Error | null; bytes: AsyncIterable<Uint8Array> } = { failure: null, bytes: passed() }
  async function* passed(): AsyncGenerator<Uint8Array> {
    try {
      yield* bytes
    } catch (error) {
      seen.failure = error instanceof Error ? error : new Error('The body ended with no error.', { cause: error })
      throw error
    }
  }
  return seen
}

function faultOrThrow(error: unknown): UpstreamFault {
  if (error instanceof UpstreamFault) return error
  throw error
}
