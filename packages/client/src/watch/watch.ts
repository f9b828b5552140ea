import { checkUrl } from '../check-url.ts'
import { asClientError, createTokens, PaymentsClientError } from '../client-errors.ts'
import { createChannel } from '../connection/channel.ts'
import {
  runAttempt,
  NO_ATTEMPTS,
  nextStep,
  type Connection,
  type AttemptEnd,
  connectionOver,
  TRANSPORTS,
  onWake,
} from '../connection/connection-attempt.ts'
import { endBy, type ConnectionRequest } from '../connection/connection.ts'
import { createReader } from '../connection/item-reader.ts'
import { timingOf } from '../connection/timing.ts'
import type { PaymentEventFilter } from '../generated/documents.ts'
import type { PaymentLinkUpdate, PaymentUpdate, Subject } from '../updates.ts'
import { agreementSubject, eventsSubject, linkSubject, paymentSubject, payoutSubject } from './subjects.ts'
import type { WatchOptions } from './watch-options.ts'

/**
 * Follows one link: its state, then its events, over any transport that works, without gaps or duplicates across reconnects.
 * Starts with the first `next()`, and ends with `return()` (which a `break` calls) or when the signal aborts. Throws a
 * `PaymentsClientError` when the link does not exist, the caller may not read it, the token is rejected, or no connection opens in five tries or a minute.
 *
 * @example
 * for await (const { kind, payment } of watchPaymentLink(id, { url: 'https://shop.example/graphql', statusToken }))
 *   if (payment?.phase === 'SUCCEEDED') break
 */
export function watchPaymentLink(id: string, options: WatchOptions): AsyncIterableIterator<PaymentLinkUpdate> {
  return watch(linkSubject(whichOf(id, options)), options)
}

/** Follows one payment, like `watchPaymentLink`. */
export function watchPayment(id: string, options: WatchOptions): AsyncIterableIterator<PaymentUpdate> {
  return watch(paymentSubject(whichOf(id, options)), options)
}

/** Follows one agreement, like `watchPaymentLink`: the updates contain the agreement alone. Requires `agreements:read`, its owner, or its status token. */
export function watchPaymentAgreement(
  id: string,
  options: Omit<WatchOptions, 'locale'>,
): AsyncIterableIterator<PaymentUpdate> {
  return watch(agreementSubject(whichOf(id, options)), options)
}

/** Follows one payout that was made through the subgraph, like `watchPaymentLink`: the updates contain the payout alone. Requires `payouts:read`. */
export function watchPayout(
  id: string,
  options: Omit<WatchOptions, 'statusToken' | 'locale'>,
): AsyncIterableIterator<PaymentUpdate> {
  return watch(payoutSubject(id), options)
}

/**
 * Follows every event that matches the filter, from now on or after a cursor, with its payment and link. Requires
 * `payments:read`. A `SNAPSHOT` without a link means that the stream could not continue from the cursor and starts anew.
 * Polling needs a cursor: until there is one, `polling` counts as a transport that does not work.
 *
 * @example
 * for await (const { event } of watchPaymentEvents({ kinds: ['PAYMENT_STATUS_CHANGED'] }, { url, token })) show(event)
 */
export function watchPaymentEvents(
  filter: PaymentEventFilter | null,
  options: WatchOptions,
): AsyncIterableIterator<PaymentUpdate> {
  return watch(eventsSubject(filter, options.locale ?? null), options)
}

function whichOf(id: string, { statusToken, locale }: WatchOptions) {
  return { id, statusToken: statusToken ?? null, locale: locale ?? null }
}

function watch(subject: Subject, options: WatchOptions): AsyncIterableIterator<PaymentUpdate> {
  const channel = createChannel<PaymentUpdate>()
  const control = new AbortController()
  const { signal: outer, onConnection } = options
  let state: 'new' | 'running' | 'over' = 'new'

  const end = () => {
    if (state === 'over') return
    const wasRunning = state === 'running'
    state = 'over'
    control.abort()
    outer?.removeEventListener('abort', giveUp)
    if (wasRunning) onConnection?.('closed')
  }
  const giveUp = () => {
    channel.drop()
    end()
  }
  const start = () => {
    state = 'running'
    if (outer?.aborted === true) return giveUp()
    outer?.addEventListener('abort', giveUp)
    const sink = {
      update: channel.push,
      connection: (now: Parameters<NonNullable<typeof onConnection>>[0]) => onConnection?.(now),
    }
    follow(subject, options, sink, control.signal).then(
      () => channel.end(),
      (reason: unknown) => {
        channel.end(asClientError(reason))
        end()
      },
    )
  }

  return {
    next() {
      if (state === 'new') start()
      return channel.take()
    },
    async return() {
      giveUp()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

export type Sink = {
  update(update: PaymentUpdate): void
  connection(connection: Connection): void
}

const POLL_MS = 3_000
/** Number of tries to reach the server for the first time. They take 4 to 8 seconds; tries while the device is offline do not count. */
const FIRST_TRIES = 5
/** So many milliseconds that a server names count as a try: it is tried for a minute. */
const WAITED_TRY_MS = 12_000

/**
 * Follows a subject, reconnecting as needed, until the signal aborts. Rejects with a `PaymentsClientError` when the subject
 * cannot be followed, now or later.
 */
async function follow(subject: Subject, options: WatchOptions, sink: Sink, signal: AbortSignal): Promise<void> {
  checkUrl(options)
  const { transports = TRANSPORTS, pollMs = POLL_MS } = options
  const timing = timingOf(options.timing)
  const tokens = createTokens(options.token)
  const reader = createReader(subject, options.after ?? null, sink.update)
  let attempts = NO_ATTEMPTS
  let told: Connection | null = null
  let isNew = true
  let tries = 0
  let { upgradeMs } = timing
  const tell = (connection: Connection) => {
    if (connection === 'live' || connection === 'polling') isNew = false
    if (connection === told || signal.aborted) return
    told = connection
    sink.connection(connection)
  }
  const request = (token: string | null): ConnectionRequest => {
    const { cursor: after, held } = reader
    return { subject, endpoint: options, token, after, held, timing, pollMs }
  }
  const attempt = async (): Promise<AttemptEnd | null> => {
    let token: string | null
    try {
      token = await tokens.get()
    } catch (error) {
      return endBy(asClientError(error))
    }
    if (signal.aborted) return null
    const { transport } = attempts
    return runAttempt({
      transport,
      open: (index) => connectionOver(transports, index),
      request,
      token,
      tokens,
      reader,
      tell,
      signal,
      options,
      timing,
      upgradeMs,
    })
  }

  tell('connecting')
  while (!signal.aborted) {
    const before = reader.delivered
    const end = await attempt()
    if (end === null) return
    const isUnauthenticated = 'error' in end && end.error.code === 'UNAUTHENTICATED'
    const step = nextStep(attempts, end, {
      transports: transports.length,
      timing,
      isFruitful: reader.delivered > before,
      isNew,
      mayRenew: isUnauthenticated && tokens.refused(),
      random: Math.random(),
    })
    if ('fail' in step) throw step.fail
    if ('error' in end) {
      // The next try is over the last transport: a better one is worth a look as soon as it opens.
      upgradeMs = isNew && step.waitMs > 0 ? 0 : timing.upgradeMs
      if (isNew && step.waitMs > 0 && !isOffline())
        tries += end.error.retryAfterMs === null ? 1 : step.waitMs / WAITED_TRY_MS
      if (tries >= FIRST_TRIES) throw unreachable(options.url, end.error)
    }
    attempts = step.attempts
    // Before the first connection the state stays `connecting`, as long as an attempt is left.
    if (step.connection === 'offline' || (step.connection !== null && told !== 'connecting')) tell(step.connection)
    if (step.waitMs > 0 && !signal.aborted) await pause(step.waitMs, options, signal)
  }
}

/** React Native does not say. */
function isOffline(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly onLine?: boolean } }
  return navigator?.onLine === false
}

/** Returns the error of a watch whose server has never answered. A browser does not tell a page why. */
function unreachable(url: string, cause: PaymentsClientError): PaymentsClientError {
  if (cause.code !== 'NETWORK') return cause
  const page = typeof location === 'undefined' ? '' : `, and that its ALLOWED_ORIGINS has ${location.origin}`
  const message = `No answer from ${url}. Check that the URL is right and the server runs${page}.`
  return new PaymentsClientError('NETWORK', message, { cause })
}

/** Waits, but only until the app wakes up or the signal aborts. */
function pause(ms: number, { wake }: WatchOptions, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    const stop = onWake(end, wake)
    signal.addEventListener('abort', end)
  })
}
