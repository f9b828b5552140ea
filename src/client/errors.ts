/** An error as the graph tells it. */
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
 * Why something could not be had. `code` is the graph's own (`NOT_FOUND`, `FORBIDDEN`, `UNAUTHENTICATED`, …), or one of the
 * kit: `NETWORK` (nobody was reached), `TIMEOUT`, `BAD_RESPONSE` (what answered is not the graph).
 *
 * @example
 * try { await ask(PayinMethodsDocument, {}, endpoint) }
 * catch (error) { if (error instanceof PaymentsClientError && error.retryable) showTryAgain() }
 */
export class PaymentsClientError extends Error {
  override readonly name = 'PaymentsClientError'
  readonly code: string
  /** Whether the same may succeed later. */
  readonly retryable: boolean
  /** Status of the answer over HTTP, where there was one. */
  readonly status: number | null
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null
  /** The errors as the graph told them. */
  readonly errors: readonly GraphError[]

  constructor(code: string, message: string, options: PaymentsClientErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? (PASSING.has(code) || PASSING_STATUS.has(options.status ?? 0))
    this.status = options.status ?? null
    this.retryAfterMs = options.retryAfterMs ?? null
    this.errors = options.errors ?? []
  }
}

/** Codes of what passes by itself. */
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

/** The errors of an answer as one error, with the code of the first. */
export function errorOf(
  errors: readonly GraphError[],
  about: Pick<PaymentsClientErrorOptions, 'status' | 'retryAfterMs'> = {},
): PaymentsClientError {
  const code = errors[0]?.extensions?.['code']
  const message = errors.map((error) => error.message).join('; ')
  return new PaymentsClientError(typeof code === 'string' ? code : 'BAD_RESPONSE', message, { ...about, errors })
}

/** Whatever was thrown, as an error of the kit. */
export function asClientError(reason: unknown): PaymentsClientError {
  if (reason instanceof PaymentsClientError) return reason
  const message = reason instanceof Error ? reason.message : 'The server could not be reached.'
  return new PaymentsClientError('NETWORK', message, { cause: reason })
}

/** Nobody knows who asks: another token may help. */
export function isUnauthenticated({ code }: PaymentsClientError): boolean {
  return code === 'UNAUTHENTICATED'
}
