import type { TokenSource } from './graph-endpoint.ts'

/** An error as the graph returns it. */
export type GraphError = {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: Readonly<Record<string, unknown>>
}

export type PaymentsClientErrorOptions = {
  readonly retryable?: boolean
  readonly status?: number | null
  readonly retryAfterMs?: number | null
  readonly errors?: readonly GraphError[]
  readonly cause?: unknown
}

/**
 * An error of the client kit. `code` is the graph's own (`NOT_FOUND`, `FORBIDDEN`, `UNAUTHENTICATED`, …), or one of the kit:
 * `INVALID_URL`, `NETWORK` (no server was reached), `TIMEOUT`, `BAD_RESPONSE` (the response is not from the graph).
 *
 * @example
 * try { await ask(PayinMethodsDocument, {}, endpoint) }
 * catch (error) { if (error instanceof PaymentsClientError && error.retryable) showTryAgain() }
 */
export class PaymentsClientError extends Error {
  override readonly name = 'PaymentsClientError'
  readonly code: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** HTTP status of the response, if there was one. */
  readonly status: number | null
  /** Milliseconds that the server asks to wait, at most five minutes. */
  readonly retryAfterMs: number | null
  /** The errors as the graph returned them. */
  readonly errors: readonly GraphError[]

  constructor(code: string, message: string, options: PaymentsClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? (PASSING.has(code) || PASSING_STATUS.has(options.status ?? 0))
    this.status = options.status ?? null
    this.retryAfterMs = waitOf(options.retryAfterMs)
    this.errors = options.errors ?? []
  }
}

/** Codes of temporary errors. */
const PASSING: ReadonlySet<string> = new Set([
  'NETWORK',
  'TIMEOUT',
  'BAD_RESPONSE',
  'UNAVAILABLE',
  'TOKEN_KEYS_UNAVAILABLE',
  'UPSTREAM_UNAVAILABLE',
  'OPERATION_TIMEOUT',
  'TOO_MANY_OPERATIONS',
  'TOO_MANY_REQUESTS',
  'OVERLOADED',
  'INTERNAL_SERVER_ERROR',
])

const PASSING_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Combines the errors of a response into one error, with the code of the first. */
export function errorOf(
  errors: readonly GraphError[],
  about: Pick<PaymentsClientErrorOptions, 'status' | 'retryAfterMs'> = {},
): PaymentsClientError {
  // A gateway does not pass on the header Retry-After.
  const { code, retryAfterMs } = errors[0]?.extensions ?? {}
  const message = errors.map((error) => error.message).join('; ')
  return new PaymentsClientError(typeof code === 'string' ? code : 'BAD_RESPONSE', message, {
    ...about,
    retryAfterMs: about.retryAfterMs ?? waitOf(retryAfterMs),
    errors,
  })
}

/** Longest wait that a server can ask for, in milliseconds: beyond 24 days a timer would fire at once. */
const LONGEST_WAIT_MS = 300_000

/** Returns a wait that a server has named, in milliseconds and within bounds; null for what is none. */
function waitOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, 0), LONGEST_WAIT_MS) : null
}

/** Converts any thrown value to an error of the client kit. */
export function asClientError(reason: unknown): PaymentsClientError {
  if (reason instanceof PaymentsClientError) return reason
  const message = reason instanceof Error ? reason.message : 'The server could not be reached.'
  return new PaymentsClientError('NETWORK', message, { cause: reason })
}

/** Whether the caller is not authenticated; another token may help. */
export function isUnauthenticated({ code }: PaymentsClientError): boolean {
  return code === 'UNAUTHENTICATED'
}

/** Caches the caller's token while it is valid. */
export type Tokens = {
  /** Returns the cached token, or a new one when there is none. Rejects when no token can be obtained. */
  get(): Promise<string | null>
  /** Requests a new token, even if one is cached. */
  renew(): Promise<string | null>
  /** Discards a rejected token. Returns false when no other token can be obtained. */
  refused(): boolean
}

/** The next token is requested this many milliseconds before a token expires. */
const MARGIN_MS = 30_000
/** The maximum delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

export function createTokens(source: TokenSource | undefined): Tokens {
  if (typeof source !== 'function') {
    const token = source ?? null
    return { get: async () => token, renew: async () => token, refused: () => false }
  }
  let held: Promise<string | null> | null = null
  const renew = () => {
    const asked = Promise.resolve().then(source)
    held = asked
    asked.catch(() => {
      if (held === asked) held = null
    })
    return asked
  }
  return {
    get: () => held ?? renew(),
    renew,
    refused: () => {
      held = null
      return true
    },
  }
}

/**
 * Milliseconds until a token should be renewed: half a minute before its expiry, or after four fifths of its remaining
 * lifetime. Null for a token without expiry, and for one that has expired by this clock: the server's own clock decides.
 */
export function renewalMs(token: string | null, now: number): number | null {
  const expiry = token === null ? null : expiryOf(token)
  if (expiry === null || expiry <= now) return null
  const left = expiry - now
  return Math.min(Math.max(left - MARGIN_MS, left * 0.8), LONGEST_MS)
}

/** Expiry of a JSON Web Token, in milliseconds since the epoch; null when the text is not a JWT or has no expiry. */
export function expiryOf(token: string): number | null {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims: unknown = JSON.parse(atob(body))
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : null
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : null
  } catch {
    return null
  }
}
