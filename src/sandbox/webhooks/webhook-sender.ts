import { Agent, request } from 'undici'
import { SIGNATURE_HEADER } from '../../webhooks/signature.ts'
import type { Timer, TimerClock } from '../state/clock.ts'

/**
 * One try to deliver: the HTTP status of the answer, or why there was none. `at` is the sandbox clock's time. `resent`
 * tells a try that somebody asked for from those of the payments API.
 */
export type WebhookAttempt = { at: string; durationMs: number; status?: number; error?: string; resent?: true }

/** Why a webhook was sent: a change of what it tells of, or one of the faults of the control endpoints. */
export type WebhookKind = 'transition' | 'duplicate' | 'late' | 'forged'

/** What was sent, or is still to be sent again. `body` is the exact text on the wire. */
export type WebhookRecord = {
  id: string
  /** What the webhook tells of: the uuid of a link, payin or payout, or the `payment_agreement_id` of an agreement. */
  subject: string
  kind: WebhookKind
  status: string
  url: string
  body: string
  /** The signature header; null where none was sent. */
  signature: string | null
  attempts: WebhookAttempt[]
  outcome: 'queued' | 'retrying' | 'delivered' | 'given_up'
  nextAttemptAt: string | null
}

/** A webhook that is ready to go: body and signature are made once, so that every try sends the same bytes. */
export type OutgoingWebhook = {
  readonly subject: string
  readonly kind: WebhookKind
  readonly status: string
  readonly url: string
  readonly authorization: string | undefined
  readonly body: string
  /** Undefined where no signature is sent. */
  readonly signature: string | undefined
}

export type WebhookSenderOptions = {
  clock: TimerClock
  /** Real milliseconds after which a receiver that does not answer counts as failed. */
  timeoutMs?: number
  /** Called after each change of the records. */
  whenChanged?: () => void
}

const RETRIES = 3
const RETRY_AFTER_MS = 15 * 60_000
const TIMEOUT_MS = 10_000

/**
 * Delivers webhooks as the payments API does (docs/payments-api.md, section 6.1): one at a time and in order to each address,
 * any answer other than 200 tried again up to 3 times, 15 minutes of the sandbox clock apart. A webhook that waits for
 * its next try holds nothing up.
 */
export class WebhookSender {
  readonly records: WebhookRecord[] = []
  readonly #clock: TimerClock
  readonly #timeoutMs: number
  // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default.
  readonly #agent = new Agent({ connect: { rejectUnauthorized: true } })
  readonly #closing = new AbortController()
  readonly #whenChanged: () => void
  readonly #webhooks = new Map<string, OutgoingWebhook>()
  readonly #retries = new Map<string, Timer>()
  readonly #lastTo = new Map<string, Promise<unknown>>()
  readonly #inFlight = new Set<Promise<unknown>>()

  constructor({ clock, timeoutMs = TIMEOUT_MS, whenChanged = () => undefined }: WebhookSenderOptions) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#whenChanged = whenChanged
  }

  /** Sends after what is already on its way to the same address. Gives the first try's result; never rejects. */
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
   * Sends a webhook once more, as another try of the same record: same address, bytes and headers. It plans no further
   * try, and one that is planned is made only when this one fails. Gives undefined when there is no such record.
   */
  resend(id: string): Promise<WebhookAttempt> | undefined {
    const record = this.records.find((one) => one.id === id)
    const webhook = this.#webhooks.get(id)
    if (record === undefined || webhook === undefined) return undefined
    return this.#inTurn(webhook.url, () => this.#attemptAgain(webhook, record))
  }

  /** Tells whether a try is under way or queued behind one. */
  get busy(): boolean {
    return this.#inFlight.size > 0
  }

  /** Resolves when nothing is in flight; webhooks that wait for their next try do not count. */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all(this.#inFlight)
  }

  /** Ends what is in flight at once. */
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
          ...(webhook.signature === undefined ? {} : { [SIGNATURE_HEADER.toUpperCase()]: webhook.signature }),
          ...(webhook.authorization === undefined ? {} : { authorization: webhook.authorization }),
        },
        body: Buffer.from(webhook.body),
        dispatcher: this.#agent,
        // A receiver that was restarted must not be met on a connection that is dead already.
        reset: true,
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#timeoutMs)]),
      })
      // Only the status counts, so the answer's text is thrown away, and a fault while reading it changes nothing.
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

function errorName(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return code ?? error.name
}
