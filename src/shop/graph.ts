import { fetch, Agent } from 'undici'
import { z } from 'zod'

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

/** Error codes for the page, by what the page should do next. */
type FaultCode =
  /** The order is invalid: see the fields. */
  | 'INVALID_ORDER'
  /** Nothing was created, or the outcome is unknown: send the same request again later. */
  | 'TRY_AGAIN'
  /** The payments API does not know the link of this attempt any more: send the order with the next attempt. */
  | 'LINK_GONE'
  /** The shop is not configured for this. */
  | 'NOT_AVAILABLE'

export type FieldProblem = { readonly field: string; readonly message: string }

export type Fault = {
  readonly code: FaultCode
  readonly message: string
  readonly problems: readonly FieldProblem[]
  readonly retryAfterSeconds: number | null
}

const STATUS: Readonly<Record<FaultCode, number>> = {
  INVALID_ORDER: 422,
  TRY_AGAIN: 503,
  LINK_GONE: 410,
  NOT_AVAILABLE: 501,
}

type Details = Partial<Pick<Fault, 'problems' | 'retryAfterSeconds'>> & { readonly cause?: unknown }

/** An error that is sent to the page. */
export class ShopError extends Error {
  readonly status: number
  readonly fault: Fault

  constructor(code: FaultCode, message: string, { cause, ...rest }: Details = {}) {
    super(message, { cause })
    this.status = STATUS[code]
    this.fault = { code, message, problems: [], retryAfterSeconds: null, ...rest }
  }
}

/** Connections of the shop's server. Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default. */
export const VERIFIED_AGENT = new Agent({ connect: { rejectUnauthorized: true } })
