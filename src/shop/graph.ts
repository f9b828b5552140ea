import { fetch } from 'undici'
import { z } from 'zod'
import { ShopError } from './fault.ts'
import { VERIFIED_AGENT } from './verified-agent.ts'

export type GraphOptions = {
  /** Where the graph answers. */
  readonly graphqlUrl: () => string
  /** Gives a token with `payments:write` and nothing else, good for a minute. It never leaves this process but for the graph. */
  readonly issueToken: () => Promise<string>
}

/** Asks the graph for one operation; throws `ShopError` when there is no answer of this shape. */
export type Ask = <Data>(query: string, variables: Record<string, unknown>, shape: z.ZodType<Data>) => Promise<Data>

const TIMEOUT_MS = 15_000

/** A client of the graph over HTTP, as any server of a merchant would have it. */
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
