import { PaymentsClientError } from '../client-errors.ts'

/** A refused request that will be sent again. */
export type Retry = {
  readonly error: PaymentsClientError
  /** 1 for the first retry. */
  readonly attempt: number
  readonly waitMs: number
}

type RetryOptions = {
  readonly signal?: AbortSignal | undefined
  /** Maximum retries of a refused request. Default: 3; 0 for none. */
  readonly retries?: number | undefined
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

const RETRIES = 3
/** Default wait in milliseconds, when the server does not say how long. */
const USUAL_WAIT_MS = 1_000
/** Maximum wait in milliseconds; a longer one is returned to the caller as an error. */
const LONGEST_WAIT_MS = 10_000

/**
 * Retries a request that the server refused because of overload: the server has not started it. When a proxy refused it, its
 * idempotency key makes a mutation safe to send again. Waits for the time that the server asks for, plus up to half of it.
 */
export async function withRetries<Result>(send: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { signal, retries = RETRIES, onRetry } = options
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      const waitMs = attempt > retries ? null : waitAfter(error)
      if (waitMs === null || !(error instanceof PaymentsClientError) || signal?.aborted === true) throw error
      onRetry?.({ error, attempt, waitMs })
      await pause(waitMs, signal)
    }
  }
}

/** Milliseconds until a refused request may be sent again; null when it was not refused, or when the wait is too long. */
function waitAfter(error: unknown): number | null {
  if (!(error instanceof PaymentsClientError)) return null
  const { code, status, retryAfterMs } = error
  if (code !== 'OVERLOADED' && (status !== 503 || retryAfterMs === null)) return null
  const least = retryAfterMs ?? USUAL_WAIT_MS
  return least > LONGEST_WAIT_MS ? null : spreadMs(least, Math.random())
}

/** Adds up to half of the wait at random, so that clients that were refused together do not retry together. */
export function spreadMs(milliseconds: number, random: number): number {
  return milliseconds * (1 + random / 2)
}

/** Resolves after the delay, or when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}
