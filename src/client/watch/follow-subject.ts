import { asClientError } from '../client-errors.ts'
import {
  runAttempt,
  NO_ATTEMPTS,
  nextStep,
  type Connection,
  type AttemptEnd,
} from '../connection/connection-attempt.ts'
import { endBy, type ConnectionRequest } from '../connection/connection.ts'
import { connectionOver, TRANSPORTS } from '../connection/open-transport.ts'
import { timingOf, onWake } from '../connection/timing.ts'
import { createTokens } from '../token-source.ts'
import { createReader } from './item-reader.ts'
import type { WatchOptions, PaymentUpdate, Subject } from './watch-options.ts'

export type Sink = {
  update(update: PaymentUpdate): void
  connection(connection: Connection): void
}

const POLL_MS = 3_000

/**
 * Follows a subject, reconnecting as needed, until the signal aborts. Rejects with a `PaymentsClientError` when the subject
 * cannot be followed, now or later.
 */
export async function follow(subject: Subject, options: WatchOptions, sink: Sink, signal: AbortSignal): Promise<void> {
  const { transports = TRANSPORTS, pollMs = POLL_MS } = options
  const timing = timingOf(options.timing)
  const tokens = createTokens(options.token)
  const reader = createReader(subject, options.after ?? null, sink.update)
  let attempts = NO_ATTEMPTS
  let told: Connection | null = null
  const tell = (connection: Connection) => {
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
      mayRenew: isUnauthenticated && tokens.refused(),
      random: Math.random(),
    })
    if ('fail' in step) throw step.fail
    attempts = step.attempts
    // Before the first connection the state stays `connecting`, as long as an attempt is left.
    if (step.connection === 'offline' || (step.connection !== null && told !== 'connecting')) tell(step.connection)
    if (step.waitMs > 0 && !signal.aborted) await pause(step.waitMs, options, signal)
  }
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
