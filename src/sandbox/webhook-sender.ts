import { Agent, request } from 'undici'
import { SIGNATURE_HEADER } from '../webhook/signature.ts'
import type { TimerClock } from './clock.ts'

/** One try to deliver: the HTTP status of the answer, or why there was none. `at` is the sandbox clock's time. */
export type WebhookAttempt = { at: string; durationMs: number; status?: number; error?: string }

/** Why a webhook was sent: a change of what it tells of, or one of the mishaps of the control endpoints. */
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
}

const RETRIES = 3
const RETRY_AFTER_MS = 15 * 60_000
const TIMEOUT_MS = 10_000

/**
 * Delivers webhooks as the service does (interface document, section 6.1): one at a time and in order to each address,
 * any answer other than 200 tried again up to 3 times, 15 minutes of the sandbox clock apart. A webhook that waits for
 * its next try holds nothing up.
 */
export class WebhookSender {
  readonly records: WebhookRecord[] = []
  readonly #clock: TimerClock
  readonly #timeoutMs: number
  readonly #agent = new Agent()
  readonly #closing = new AbortController()
  readonly #lastTo = new Map<string, Promise<unknown>>()
  readonly #inFlight = new Set<Promise<unknown>>()

  constructor({ clock, timeoutMs = TIMEOUT_MS }: WebhookSenderOptions) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
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
      attempts: [],
      outcome: 'queued',
      nextAttemptAt: null,
    }
    this.records.push(record)
    const before = this.#lastTo.get(webhook.url) ?? Promise.resolve()
    const sent = this.#track(before.then(() => this.#attempt(webhook, record)))
    this.#lastTo.set(webhook.url, sent)
    return sent
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

  async #attempt(webhook: OutgoingWebhook, record: WebhookRecord): Promise<WebhookAttempt> {
    const at = this.#clock.now()
    const started = performance.now()
    const result = await this.#post(webhook)
    const attempt = { at: at.toISOString(), durationMs: Math.round(performance.now() - started), ...result }
    record.attempts.push(attempt)
    this.#conclude(webhook, record, at)
    return attempt
  }

  #conclude(webhook: OutgoingWebhook, record: WebhookRecord, at: Date): void {
    const next = new Date(at.getTime() + RETRY_AFTER_MS)
    const failed = record.attempts.at(-1)?.status !== 200
    const again = failed && webhook.kind === 'transition' && record.attempts.length <= RETRIES
    record.outcome = again ? 'retrying' : failed ? 'given_up' : 'delivered'
    record.nextAttemptAt = again ? next.toISOString() : null
    if (again) this.#clock.schedule(next, () => this.#track(this.#attempt(webhook, record)))
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
