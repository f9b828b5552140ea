import { fetch, Agent } from 'undici'
import { z } from 'zod'

/** The faults that the drawer can request from the emulator of the payments API. */
const FAULT = z.strictObject({
  linkId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  kind: z.enum([
    'duplicate',
    'late',
    'forged',
    'reordered',
    'pay',
    'decline',
    'refund',
    'dispute',
    'expire',
    'upstream-down',
    'upstream-up',
  ]),
  /** The failure code of a decline. */
  errorCode: z
    .string()
    .regex(/^[a-z0-9_]{1,60}$/)
    .exactOptional(),
})

export type FaultOrder = z.output<typeof FAULT>

/** The receiver's response to each webhook that was sent at once; null when it did not respond. */
export type FaultReport = { readonly kind: string; readonly deliveries: readonly (number | null)[] }

export type Emulator = {
  /** Whether an emulator is configured and reachable, rather than the payments API itself. */
  isThere(): Promise<boolean>
  cause(fault: FaultOrder): Promise<FaultReport>
}

const EMULATOR_TIMEOUT_MS = 5_000
/** Number of requests that fail, unless the fault is cleared before. */
const DOWN_FOR_REQUESTS = 30

/** A request to a control endpoint, or to the payment page as a customer. */
type Call = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly isPage?: boolean
}

/** Parses the fault in a body. Throws a `ShopError` that names every invalid field. */
export function readFault(body: unknown): FaultOrder {
  const parsed = FAULT.safeParse(body)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'fault', message }))
  throw new ShopError('INVALID_ORDER', 'The fault cannot be read.', { problems })
}

/** Returns a client of the emulator's control endpoints at an origin; with null there is no emulator. */
export function connectEmulator(origin: string | null): Emulator {
  const call = async ({ method, path, body, isPage = false }: Call): Promise<unknown> => {
    if (origin === null) throw new ShopError('NOT_AVAILABLE', 'There is no emulator of the payments API here.')
    const response = await fetch(`${origin}${isPage ? '' : '/sandbox'}${path}`, {
      method,
      redirect: 'error',
      dispatcher: VERIFIED_AGENT,
      signal: AbortSignal.timeout(EMULATOR_TIMEOUT_MS),
      ...(isPage ? { headers: { accept: 'application/json' }, body: new URLSearchParams() } : {}),
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new ShopError('TRY_AGAIN', 'The emulator does not answer.', { cause })
    })
    const answer: unknown = await response.json().catch(() => null)
    if (response.ok) return answer
    const { data } = REFUSED.safeParse(answer)
    throw new ShopError('NOT_AVAILABLE', data?.errors.message ?? `The emulator refused: HTTP ${response.status}.`)
  }
  return {
    isThere: async () => {
      const answer = await call({ method: 'GET', path: '/failures' }).catch(() => null)
      return z.object({ failures: z.array(z.unknown()) }).safeParse(answer).success
    },
    cause: async (fault) => {
      const { data } = DELIVERED.safeParse(await call(callFor(fault)))
      return { kind: fault.kind, deliveries: data?.deliveries.map(({ status }) => status ?? null) ?? [] }
    },
  }
}

const REFUSED = z.object({ errors: z.object({ message: z.string() }) })
const DELIVERED = z.object({ deliveries: z.array(z.object({ status: z.number().optional() })) })

function callFor({ kind, linkId, errorCode = 'generic_declined' }: FaultOrder): Call {
  const setStatus = (status: string, rest: object = {}): Call => ({
    method: 'POST',
    path: `/links/${linkId}/status`,
    body: { status, ...rest },
  })
  switch (kind) {
    case 'pay':
      return setStatus('received')
    case 'decline':
      return setStatus('failed', { errorCode })
    case 'refund':
      return setStatus('return_received')
    case 'dispute':
      return setStatus('in_dispute')
    case 'expire':
      // On the payment page, and not by the clock: that would end every other open link too.
      return { method: 'POST', path: `/checkout/${linkId}/expire`, isPage: true }
    case 'upstream-down':
      return {
        method: 'POST',
        path: '/faults',
        body: { path: '/*', times: DOWN_FOR_REQUESTS, answer: { status: 503, body: {} } },
      }
    case 'upstream-up':
      return { method: 'DELETE', path: '/faults' }
    default:
      return { method: 'POST', path: `/links/${linkId}/deliveries`, body: { kind } }
  }
}

export type GraphOptions = {
  /** Returns the URL of the graph. */
  readonly graphqlUrl: () => string
  /** Issues a token with `payments:read` and `payments:write`, valid for one minute. This process sends it only to the graph. */
  readonly issueToken: () => Promise<string>
}

/** Sends one operation to the graph; throws `ShopError` when there is no response of this shape. */
export type Ask = <Data>(query: string, variables: Record<string, unknown>, shape: z.ZodType<Data>) => Promise<Data>

const GRAPH_TIMEOUT_MS = 15_000

/** Returns an HTTP client of the graph, as any merchant's server would have. */
export function connectGraph({ graphqlUrl, issueToken }: GraphOptions): Ask {
  return async (query, variables, shape) => {
    const response = await fetch(graphqlUrl(), {
      method: 'POST',
      redirect: 'error',
      dispatcher: VERIFIED_AGENT,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await issueToken()}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(GRAPH_TIMEOUT_MS),
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

export type PaymentsFieldProblem = { readonly field: string; readonly message: string }

type Fault = {
  readonly code: FaultCode
  readonly message: string
  readonly problems: readonly PaymentsFieldProblem[]
  readonly retryAfterSeconds: number | null
}

const STATUS: Readonly<Record<FaultCode, number>> = {
  INVALID_ORDER: 422,
  TRY_AGAIN: 503,
  LINK_GONE: 410,
  NOT_AVAILABLE: 501,
}

type Details = Partial<Pick<Fault, 'problems' | 'retryAfterSeconds'>> & {
  readonly cause?: unknown
  /** Default: that of the code. */
  readonly status?: number
}

/** An error that is sent to the page. */
export class ShopError extends Error {
  readonly status: number
  readonly fault: Fault

  constructor(code: FaultCode, message: string, { cause, status = STATUS[code], ...rest }: Details = {}) {
    super(message, { cause })
    this.status = status
    this.fault = { code, message, problems: [], retryAfterSeconds: null, ...rest }
  }
}

/** Connections of the shop's server. Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default. */
const VERIFIED_AGENT = new Agent({ connect: { rejectUnauthorized: true } })
