import { Agent, fetch, type Response } from 'undici'
import { z } from 'zod'
import type { OperatorDocument } from './documents.ts'
import { OperatorError, plain } from './operator-answers.ts'

/** Sends one document to the subgraph. Throws `OperatorError` when there is no response to show. */
export type Ask = <Data>(document: OperatorDocument, request: Request<Data>) => Promise<Answer<Data>>

type Request<Data> = { readonly variables: Record<string, unknown>; readonly shape: z.ZodType<Data> }

/** `errors` are those of single fields, which are null in `data`. */
export type Answer<Data> = { readonly data: Data; readonly errors: readonly FieldError[] }

type FieldError = z.output<typeof fieldError>

const fieldError = z.object({
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])).optional(),
  extensions: z.object({ code: z.string().optional() }).optional(),
})

const graphqlAnswer = z.object({ data: z.unknown().optional(), errors: z.array(fieldError).optional() })

const TIMEOUT_MS = 15_000
/**
 * Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default: the token must be sent only to a server with a valid
 * certificate.
 */
const VERIFIED = new Agent({ connect: { rejectUnauthorized: true } })

/** Returns a client of the graph at `url` that sends `token`. Redirects are not followed: the token is for this URL only. */
export function createClient({ url, token }: { url: string; token: string }): Ask {
  return async (document, { variables, shape }) => {
    const { data, errors = [] } = await send(url, token, { query: document.text, variables })
    const refusal = errors.find(({ path = [] }) => path.length <= 1)
    if (refusal !== undefined) throw new OperatorError(explain(refusal, document))
    const parsed = shape.safeParse(data)
    if (!parsed.success) throw new OperatorError(`What answers at ${url} is not the subgraph of this version.`)
    return { data: parsed.data, errors }
  }
}

async function send(url: string, token: string, body: object): Promise<z.output<typeof graphqlAnswer>> {
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      dispatcher: VERIFIED,
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    text = await response.text()
  } catch (error) {
    throw new OperatorError(noAnswer(url, error))
  }
  const answer = graphqlAnswer.safeParse(jsonIn(text))
  if (!answer.success || response.status === 404)
    throw new OperatorError(`What answers at ${url} is no subgraph: HTTP ${response.status}. Its path is /graphql.`)
  return answer.data
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function noAnswer(url: string, error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `Nothing came back from ${url} within ${TIMEOUT_MS / 1000} s. A replay may have been applied: look at its delivery.`
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
  return `No subgraph answers at ${url}${code}. Start it, or give its address with --url or SUBGRAPH_URL.`
}

/** Returns advice for an error of the whole operation. */
function explain({ message, extensions }: FieldError, { scopes }: OperatorDocument): string {
  switch (extensions?.code) {
    case 'UNAUTHENTICATED':
      return `The token in SUBGRAPH_TOKEN is not accepted: ${plain(message)}`
    case 'FORBIDDEN':
      return `The token in SUBGRAPH_TOKEN has not every scope that this needs: ${scopes.join(' ')}`
    case 'UNTRUSTED_DOCUMENT':
      return 'The subgraph runs trusted documents only. Add what the command "documents" prints to its manifest.'
    case 'GRAPHQL_VALIDATION_FAILED':
      return `The subgraph is of another version than this command: ${plain(message)}`
    default:
      return `The subgraph refused: ${plain(message)}`
  }
}
