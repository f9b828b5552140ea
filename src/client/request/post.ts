import { asClientError, errorOf, PaymentsClientError, type GraphError } from '../client-errors.ts'
import type { Operation, PaymentsEndpoint } from '../graph-endpoint.ts'

/** A GraphQL response, or a part of an incremental one. */
export type Result = { readonly data?: unknown; readonly errors?: readonly GraphError[] }

export type PostOptions = {
  readonly url: string
  readonly accept: string
  readonly token: string | null
  readonly signal: AbortSignal
}

/** Sends an operation over HTTP. Rejects with a `PaymentsClientError` with the code `NETWORK` when no server responds. */
export async function post(endpoint: PaymentsEndpoint, operation: Operation, options: PostOptions): Promise<Response> {
  const { url, accept, token, signal } = options
  const ask = endpoint.fetch ?? globalThis.fetch
  try {
    return await ask(url, {
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
export async function dataOf(response: Response): Promise<unknown> {
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
    json = await response.json()
  } catch (error) {
    throw badResponse(response, error)
  }
  if (isResult(json)) return json
  throw badResponse(response)
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
  return new PaymentsClientError(code ?? 'BAD_RESPONSE', `The server answered with ${status}, and not with GraphQL.`, {
    status,
    retryAfterMs: retryAfterMs(response),
    retryable: status === 429 || status >= 500,
    cause,
  })
}

function isResult(json: unknown): json is Result {
  return typeof json === 'object' && json !== null && ('data' in json || 'errors' in json)
}
