import { checkUrl } from '../check-url.ts'
import {
  isUnauthenticated,
  PaymentsClientError,
  asClientError,
  errorOf,
  type GraphError,
  createTokens,
} from '../client-errors.ts'
import { operationOf, type AnyDocument, type PaymentsEndpoint, type Operation } from '../graph-endpoint.ts'
import { withRetries, type Retry } from './retry-request.ts'

const TIMEOUT_MS = 15_000

/**
 * Sends one query or mutation over fetch. When the server rejects the token and `endpoint.token` is a function, requests a
 * new token once and tries again. Sends a request that the server refused with `OVERLOADED`, or with 503 and `Retry-After`,
 * again up to three times. Rejects with a `PaymentsClientError`, or with the signal's reason when aborted. After `NETWORK`
 * or `TIMEOUT` the outcome of a mutation is unknown: send it again with the same idempotency key.
 *
 * @example
 * const { payinMethods } = await ask(PayinMethodsDocument, { currencies: ['AUD'] }, { url: 'https://shop.example/graphql' })
 */
export async function ask<Data, Variables>(
  document: AnyDocument<Data, Variables>,
  variables: Variables,
  endpoint: PaymentsEndpoint,
  options: AskOptions = {},
): Promise<Data> {
  checkUrl(endpoint)
  const tokens = createTokens(endpoint.token)
  const send = (token: string | null) => sendOnce(document, variables, { endpoint, token, signal: options.signal })
  const sendAnew = async () => {
    try {
      return await send(await tokens.get())
    } catch (error) {
      const mayHelp = error instanceof PaymentsClientError && isUnauthenticated(error) && tokens.refused()
      if (!mayHelp) throw error
      return send(await tokens.get())
    }
  }
  return withRetries(sendAnew, options)
}

export type AskOptions = {
  readonly signal?: AbortSignal
  /** Maximum retries of a request that was refused for overload. Default: 3; 0 for none. */
  readonly retries?: number
  /** Called before the wait of each retry. */
  readonly onRetry?: (retry: Retry) => void
}

type Sending = {
  readonly endpoint: PaymentsEndpoint
  readonly token: string | null
  readonly signal: AbortSignal | undefined
}

/** Sends one query or mutation with one token. Rejects as `ask` does. */
export async function sendOnce<Data, Variables>(
  document: AnyDocument<Data, Variables>,
  variables: Variables,
  { endpoint, token, signal }: Sending,
): Promise<Data> {
  throwIfAborted(signal)
  const control = new AbortController()
  const giveUp = () => control.abort()
  signal?.addEventListener('abort', giveUp)
  const late = setTimeout(giveUp, endpoint.timeoutMs ?? TIMEOUT_MS)
  try {
    const operation = operationOf(document, variables, endpoint.documents)
    const accept = 'application/graphql-response+json, application/json'
    const response = await post(endpoint, operation, { url: endpoint.url, accept, token, signal: control.signal })
    return (await dataOf(response)) as Data
  } catch (error) {
    throwIfAborted(signal)
    if (control.signal.aborted) throw new PaymentsClientError('TIMEOUT', 'The answer took too long.', { cause: error })
    throw error
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', giveUp)
    // Of a body that is too long the rest is not read.
    giveUp()
  }
}

/** Replaces the signal's own method, which some React Native versions lack. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw signal.reason ?? new Error('It was given up.')
}

/** A GraphQL response, or a part of an incremental one. */
export type Result = { readonly data?: unknown; readonly errors?: readonly GraphError[] }

type PostOptions = {
  readonly url: string
  readonly accept: string
  readonly token: string | null
  readonly signal: AbortSignal
}

/** Sends an operation over HTTP. Rejects with a `PaymentsClientError` with the code `NETWORK` when no server responds. */
export async function post(endpoint: PaymentsEndpoint, operation: Operation, options: PostOptions): Promise<Response> {
  const { url, accept, token, signal } = options
  const send = endpoint.fetch ?? globalThis.fetch
  try {
    return await send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(operation),
      signal,
    })
  } catch (error) {
    throw asClientError(error)
  }
}

/** Returns the data of a response. Throws a `PaymentsClientError` when there is no data, or when there are errors. */
async function dataOf(response: Response): Promise<unknown> {
  const { data, errors } = await resultOf(response)
  const about = { status: response.status, retryAfterMs: retryAfterMs(response) }
  if (errors !== undefined && errors.length > 0) throw errorOf(errors, about)
  if (data === undefined || data === null) throw badResponse(response)
  return data
}

/** Parses a response body. Throws a `PaymentsClientError` when it is not a GraphQL response. */
export async function resultOf(response: Response): Promise<Result> {
  let json: unknown
  try {
    json = JSON.parse(await textOf(response))
  } catch (error) {
    // Otherwise the connection was lost amid the body.
    throw error instanceof SyntaxError ? badResponse(response, error) : asClientError(error)
  }
  if (isResult(json)) return json
  throw badResponse(response)
}

/** Most characters of a response or of an event that are read: many times those of the largest page of a list. */
export const LONGEST_TEXT = 8_000_000

/** Returns the text of a body. Throws a `PaymentsClientError` as soon as it is too long. */
async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  // React Native's fetch has no body stream.
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  for (let text = ''; ;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (text.length > LONGEST_TEXT) throw badResponse(response)
    if (done) return text
  }
}

/** Milliseconds that a response asks to wait; null when it does not say. */
export function retryAfterMs({ headers }: Response): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

function badResponse(response: Response, cause?: unknown): PaymentsClientError {
  const { status } = response
  const code = { 401: 'UNAUTHENTICATED', 429: 'UNAVAILABLE', 503: 'UNAVAILABLE' }[status]
  return new PaymentsClientError(
    code ?? 'BAD_RESPONSE',
    `The server answered with ${status}, and not with GraphQL: check \`url\`.`,
    {
      status,
      retryAfterMs: retryAfterMs(response),
      retryable: status === 429 || status >= 500,
      cause,
    },
  )
}

function isResult(json: unknown): json is Result {
  return typeof json === 'object' && json !== null && ('data' in json || 'errors' in json)
}
