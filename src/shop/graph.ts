import { fetch } from 'undici'
import { z } from 'zod'
import { ShopError } from './fault.ts'
import { VERIFIED_AGENT } from './verified-agent.ts'

export type GraphOptions = {
  /** Returns the URL of the graph. */
  readonly graphqlUrl: () => string
  /** Issues a token with `payments:read` and `payments:write`, valid for one minute. This process sends it only to the graph. */
  readonly issueToken: () => Promise<string>
}

/** Sends one operation to the graph; throws `ShopError` when there is no response of this shape. */
export type Ask = <Data>(query: string, variables: Record<string, unknown>, shape: z.ZodType<Data>) => Promise<Data>

const TIMEOUT_MS = 15_000

/** Returns an HTTP client of the graph, as any merchant's server would have. */
export function connectGraph({ graphqlUrl, issueToken }: GraphOptions): Ask {
  return async (query, variables, shape) => {
    const response = await fetch(graphqlUrl(), {
      method: 'POST',
      redirect: 'error',
      dispatcher: VERIFIED_AGENT,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await issueToken()}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new ShopError('TRY_AGAIN', 'The graph does not answer.', { cause })
    })
    const answer = z.object({ data: shape }).safeParse(await response.json().catch(() => null))
    if (answer.success) return answer.data.data
    throw new ShopError('TRY_AGAIN', `The graph refused: HTTP ${response.status}.`)
  }
}
