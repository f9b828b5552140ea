import { isUnauthenticated, PaymentsClientError } from '../client-errors.ts'
import { operationOf, type AnyDocument, type PaymentsEndpoint } from '../graph-endpoint.ts'
import { createTokens } from '../token-source.ts'
import { dataOf, post } from './post.ts'
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
  }
}

/** Replaces the signal's own method, which some React Native versions lack. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw signal.reason ?? new Error('It was given up.')
}
