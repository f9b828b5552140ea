import { PaymentsClientError } from '../errors.ts'

/** A request that was refused, and is about to be sent again. */
export type Retry = {
  readonly error: PaymentsClientError
  /** 1 for the first time that it is sent again. */
  readonly attempt: number
  readonly waitMs: number
}

export type RetryOptions = {
  readonly signal?: AbortSignal | undefined
  /** How often a request that was refused is sent again. Default: 3; 0 for never. */
  readonly retries?: number | undefined
  /** Told before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

const RETRIES = 3
/** Where the server does not say how long to wait, in milliseconds. */
const USUAL_WAIT_MS = 1_000
/** Whoever is to wait longer is told instead, in milliseconds. */
const LONGEST_WAIT_MS = 10_000

/**
 * Sends a request again that the server refused because it has too much to do: nothing of it was begun. Where a proxy says so, a
 * mutation is safe to send again by its idempotency key. Waits for as long as the server asks for, and up to half as long again.
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

/** Milliseconds until a refused request may be sent again; null for what was not refused, or only for longer. */
function waitAfter(error: unknown): number | null {
  if (!(error instanceof PaymentsClientError)) return null
  const { code, status, retryAfterMs } = error
  if (code !== 'OVERLOADED' && (status !== 503 || retryAfterMs === null)) return null
  const least = retryAfterMs ?? USUAL_WAIT_MS
  return least > LONGEST_WAIT_MS ? null : spreadMs(least, Math.random())
}

/** A wait and up to half as much again, so that clients that were refused together come back one by one. */
export function spreadMs(milliseconds: number, random: number): number {
  return milliseconds * (1 + random / 2)
}

/** Ends with the signal, too. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
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
