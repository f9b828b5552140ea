import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { bareHost, isLoopbackHost } from 'payments-subgraph-lib/known-hosts'
import { Agent, buildConnector, request } from 'undici'
import type { Timer, TimerClock } from './clock.ts'

/**
 * One delivery attempt: the HTTP status of the response, or why there was none. `at` is the sandbox clock's time. `resent`
 * marks a manual attempt.
 */
export type WebhookAttempt = { at: string; durationMs: number; status?: number; error?: string; resent?: true }

/** Why a webhook was sent: a status change, or one of the faults of the control endpoints. */
export type WebhookKind = 'transition' | 'duplicate' | 'late' | 'forged'

/** A webhook that was sent or will be retried. `body` is the exact text on the wire. */
export type WebhookRecord = {
  id: string
  /** The uuid of a link, payin or payout, or the `payment_agreement_id` of an agreement. */
  subject: string
  kind: WebhookKind
  status: string
  url: string
  body: string
  /** The signature header; null when none was sent. */
  signature: string | null
  attempts: WebhookAttempt[]
  outcome: 'queued' | 'retrying' | 'delivered' | 'given_up'
  nextAttemptAt: string | null
}

/** A webhook ready to send: body and signature are computed once, so that every attempt sends the same bytes. */
export type OutgoingWebhook = {
  readonly subject: string
  readonly kind: WebhookKind
  readonly status: string
  readonly url: string
  readonly authorization: string | undefined
  readonly body: string
  /** Undefined when the webhook is unsigned. */
  readonly signature: string | undefined
}

export type WebhookSenderOptions = {
  clock: TimerClock
  /** Host names and addresses that may get webhooks, besides those of this machine. Default: none. */
  hosts?: readonly string[]
  /** Real milliseconds after which a receiver that does not respond counts as failed. */
  timeoutMs?: number
  /** Called after each change of the records. */
  whenChanged?: () => void
}

/** A webhook with what it takes to send it again. */
export type SavedWebhook = { readonly record: WebhookRecord; readonly webhook: OutgoingWebhook }

const RETRIES = 3
const RETRY_AFTER_MS = 15 * 60_000
const TIMEOUT_MS = 10_000

/**
 * Delivers webhooks as the payments API does (docs/payments-api.md, section 6.1): sequentially per URL; any response other
 * than 200 is retried up to 3 times, every 15 minutes of the sandbox clock. A webhook that waits for a retry does not block
 * others.
 */
export class WebhookSender {
  readonly records: WebhookRecord[] = []
  readonly #clock: TimerClock
  readonly #timeoutMs: number
  readonly #agent: Agent
  readonly #closing = new AbortController()
  readonly #whenChanged: () => void
  readonly #webhooks = new Map<string, OutgoingWebhook>()
  readonly #retries = new Map<string, Timer>()
  readonly #lastTo = new Map<string, Promise<unknown>>()
  readonly #inFlight = new Set<Promise<unknown>>()

  constructor({ clock, hosts = [], timeoutMs = TIMEOUT_MS, whenChanged = () => undefined }: WebhookSenderOptions) {
    this.#clock = clock
    this.#agent = new Agent({ connect: connectorTo(hosts) })
    this.#timeoutMs = timeoutMs
    this.#whenChanged = whenChanged
  }

  /** Sends a webhook after those already queued for the same URL. Returns the result of the first attempt; never rejects. */
  send(webhook: OutgoingWebhook): Promise<WebhookAttempt> {
    const record: WebhookRecord = {
      id: `whk_${this.records.length + 1}`,
      subject: webhook.subject,
      kind: webhook.kind,
      status: webhook.status,
      url: webhook.url,
      body: webhook.body,
      signature: webhook.signature ?? null,
      attempts: [],
      outcome: 'queued',
      nextAttemptAt: null,
    }
    this.records.push(record)
    this.#webhooks.set(record.id, webhook)
    this.#whenChanged()
    return this.#inTurn(webhook.url, () => this.#attempt(webhook, record))
  }

  /**
   * Sends a webhook again, as another attempt of the same record: same URL, bytes and headers. Schedules no further retry; a
   * retry that is already scheduled is made only when this attempt fails. Returns undefined when there is no such record.
   */
  resend(id: string): Promise<WebhookAttempt> | undefined {
    const record = this.records.find((one) => one.id === id)
    const webhook = this.#webhooks.get(id)
    if (record === undefined || webhook === undefined) return undefined
    return this.#inTurn(webhook.url, () => this.#attemptAgain(webhook, record))
  }

  /** Returns every webhook. */
  saved(): SavedWebhook[] {
    return this.records.flatMap((record) => {
      const webhook = this.#webhooks.get(record.id)
      return webhook === undefined ? [] : [{ record, webhook }]
    })
  }

  /** Adds saved webhooks. Those that were in flight or wait for a retry are sent at their time, as `atOf` changes it. */
  restore(saved: readonly SavedWebhook[], atOf: (at: Date) => Date): void {
    for (const { record, webhook } of saved) {
      this.records.push(record)
      this.#webhooks.set(record.id, webhook)
      if (record.outcome !== 'queued' && record.outcome !== 'retrying') continue
      const next = atOf(record.nextAttemptAt === null ? this.#clock.now() : new Date(record.nextAttemptAt))
      this.#retries.set(record.id, this.#planRetry(webhook, record, next))
    }
  }

  /** Forgets every webhook. Planned retries are left to the clock, which is reset with it. */
  clear(): void {
    this.records.length = 0
    this.#webhooks.clear()
    this.#retries.clear()
  }

  /** Whether an attempt is in flight or queued. */
  get busy(): boolean {
    return this.#inFlight.size > 0
  }

  /** Resolves when nothing is in flight; does not wait for scheduled retries. */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all(this.#inFlight)
  }

  /** Aborts everything in flight. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#agent.destroy()
  }

  #inTurn(url: string, attempt: () => Promise<WebhookAttempt>): Promise<WebhookAttempt> {
    const before = this.#lastTo.get(url) ?? Promise.resolve()
    const sent = this.#track(before.then(attempt))
    this.#lastTo.set(url, sent)
    return sent
  }

  async #attempt(webhook: OutgoingWebhook, record: WebhookRecord): Promise<WebhookAttempt> {
    const attempt = await this.#try(webhook)
    record.attempts.push(attempt)
    if (record.outcome !== 'delivered') this.#conclude(webhook, record, attempt)
    this.#whenChanged()
    return attempt
  }

  async #attemptAgain(webhook: OutgoingWebhook, record: WebhookRecord): Promise<WebhookAttempt> {
    const attempt: WebhookAttempt = { ...(await this.#try(webhook)), resent: true }
    record.attempts.push(attempt)
    if (attempt.status === 200) this.#markDelivered(record)
    this.#whenChanged()
    return attempt
  }

  async #try(webhook: OutgoingWebhook): Promise<WebhookAttempt> {
    const at = this.#clock.now().toISOString()
    const started = performance.now()
    const result = await this.#post(webhook)
    return { at, durationMs: Math.round(performance.now() - started), ...result }
  }

  #conclude(webhook: OutgoingWebhook, record: WebhookRecord, { at, status }: WebhookAttempt): void {
    if (status === 200) return this.#markDelivered(record)
    const made = record.attempts.filter(({ resent }) => resent === undefined).length
    const again = webhook.kind === 'transition' && made <= RETRIES
    const next = new Date(Date.parse(at) + RETRY_AFTER_MS)
    record.outcome = again ? 'retrying' : 'given_up'
    record.nextAttemptAt = again ? next.toISOString() : null
    if (again) this.#retries.set(record.id, this.#planRetry(webhook, record, next))
  }

  #planRetry(webhook: OutgoingWebhook, record: WebhookRecord, next: Date): Timer {
    return this.#clock.schedule(next, () => this.#track(this.#attempt(webhook, record)))
  }

  #markDelivered(record: WebhookRecord): void {
    record.outcome = 'delivered'
    record.nextAttemptAt = null
    this.#retries.get(record.id)?.cancel()
    this.#retries.delete(record.id)
  }

  async #post(webhook: OutgoingWebhook): Promise<{ status: number } | { error: string }> {
    try {
      const answer = await request(webhook.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(webhook.signature === undefined ? {} : { 'HTTP-WEBHOOK-SIGNATURE': webhook.signature }),
          ...(webhook.authorization === undefined ? {} : { authorization: webhook.authorization }),
        },
        body: Buffer.from(webhook.body),
        dispatcher: this.#agent,
        // Avoids reusing a dead connection after the receiver was restarted.
        reset: true,
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#timeoutMs)]),
      })
      // Only the status matters: the response body is discarded, and errors while reading it are ignored.
      answer.body.dump().catch(() => undefined)
      return { status: answer.statusCode }
    } catch (error) {
      return { error: errorName(error) }
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work)
    return work.finally(() => this.#inFlight.delete(work))
  }
}

/**
 * Returns the connector to this machine and `hosts`. Whoever can create a link chooses where its webhook goes, and must not reach through
 * the sandbox what only its machine can reach. The address is what counts, whatever name leads to it. Redirects are not followed.
 */
function connectorTo(hosts: readonly string[]): buildConnector.connector {
  const named = new Set(hosts.map((host) => host.toLowerCase()))
  const lookupOurs: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const ours = named.has(hostname) ? addresses : addresses.filter(({ address }) => isLoopbackHost(address))
      const [first] = ours
      if (first === undefined) return callback(new ForeignHostError(), [])
      return options.all === true ? callback(null, ours) : callback(null, first.address, first.family)
    })
  // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  const connect = buildConnector({ rejectUnauthorized: true, lookup: lookupOurs })
  return (options, callback) => {
    const host = bareHost(options.hostname)
    const isForeign = isIP(host) !== 0 && !isLoopbackHost(host) && !named.has(host)
    return isForeign ? callback(new ForeignHostError(), null) : connect(options, callback)
  }
}

/** The host of a webhook is neither this machine nor one that was named. */
class ForeignHostError extends Error {
  readonly code = 'HOST_NOT_ALLOWED'
}

function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code ?? error.name
}
