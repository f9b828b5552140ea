import { Agent, fetch, type Response } from 'undici'
import { z } from 'zod'
import type { OperatorDocument } from './documents.ts'

const state = z.object({
  id: z.string(),
  statusRaw: z.string(),
  version: z.number(),
  updatedAt: z.string(),
})

const delivery = z.object({
  id: z.string(),
  disposition: z.string(),
  quarantineReason: z.string().nullable(),
  subjectId: z.string().nullable(),
  statusRaw: z.string().nullable(),
  attempts: z.number(),
  firstReceivedAt: z.string(),
  lastReceivedAt: z.string(),
  event: z.object({ id: z.string(), toStatus: z.string().nullable() }).nullable(),
  payment: state.extend({ provisional: z.boolean() }).nullable(),
  agreement: state.nullable(),
})

export const deliveriesAnswer = z.object({
  webhookDeliveries: z.object({
    nodes: z.array(delivery),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

export const deliveryAnswer = z.object({
  webhookDelivery: delivery
    .extend({
      ref: z.string().nullable(),
      body: z.string().nullable(),
      link: z.object({ id: z.string(), state: z.string() }).nullable(),
    })
    .nullable(),
})

const refused = z.object({ code: z.string(), message: z.string() })

const replayed = z.object({
  __typename: z.literal('ReplayWebhookDeliverySuccess'),
  applied: z.boolean(),
  dispositionBefore: z.string(),
  dispositionAfter: z.string(),
  readRequested: z.boolean(),
  statusBefore: z.string().nullable(),
  statusAfter: z.string().nullable(),
  delivery,
})

export const replayAnswer = z.object({
  replayWebhookDelivery: z.union([replayed, refused]),
})

const bulkReplay = z.object({
  id: z.string(),
  state: z.enum(['RUNNING', 'DONE']),
  cancelled: z.boolean(),
  progress: z.number(),
  matched: z.number(),
  changed: z.number(),
  unchanged: z.number(),
  awaitingRead: z.number(),
  notReplayable: z.number(),
  failed: z.number(),
  results: z.array(
    z.object({
      deliveryId: z.string(),
      dispositionBefore: z.string().nullable(),
      dispositionAfter: z.string().nullable(),
      statusBefore: z.string().nullable(),
      statusAfter: z.string().nullable(),
      refusal: z.string().nullable(),
    }),
  ),
})

export const bulkReplayBegunAnswer = z.object({
  replayWebhookDeliveries: z.union([z.object({ replay: bulkReplay.pick({ id: true }) }), refused]),
})

export const bulkReplayAnswer = z.object({ webhookReplay: bulkReplay.nullable() })

export const replayCancelledAnswer = z.object({
  cancelWebhookReplay: z.union([
    z.object({ replay: bulkReplay.pick({ id: true, state: true, cancelled: true }) }),
    refused,
  ]),
})

const erasure = z.object({
  id: z.string(),
  by: z.string(),
  state: z.string(),
  valueHash: z.string(),
  requestedBy: z.string().nullable(),
  requestedAt: z.string(),
  payments: z.number(),
  agreements: z.number(),
  payouts: z.number(),
  payers: z.number(),
  doneAt: z.string().nullable(),
})

export const erasableAnswer = z.object({
  erasablePayers: z.object({ payments: z.number(), agreements: z.number(), payouts: z.number() }),
})

export const eraseAnswer = z.object({
  erasePayer: z.union([z.object({ erasure }), refused]),
})

export const erasuresAnswer = z.object({
  payerErasures: z.object({
    nodes: z.array(erasure),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  }),
})

const signingKey = z.object({
  keyId: z.string(),
  setting: z.string(),
  state: z.string(),
  firstSignedAt: z.string().nullable(),
  lastSignedAt: z.string(),
  lastCallbackAt: z.string().nullable(),
  removable: z.boolean(),
  dependents: z.array(
    z.object({ kind: z.string(), needed: z.boolean(), until: z.string().nullable(), count: z.number().nullable() }),
  ),
})

export const keysAnswer = z.object({ signingKeys: z.array(signingKey) })

export type PaymentSigningKey = z.output<typeof signingKey>
export type Erasure = z.output<typeof erasure>
export type Delivery = z.output<typeof delivery>
export type FullDelivery = NonNullable<z.output<typeof deliveryAnswer>['webhookDelivery']>
export type Replayed = z.output<typeof replayed>
export type BulkReplay = z.output<typeof bulkReplay>

/** Returns a text that is safe for a terminal: control, invisible and text-direction characters are shown as their codes. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** A page of a list. */
type ListPage<Node> = {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/**
 * Returns the pages of a list, which may be empty before its end. `read` asks for the page after a cursor. Throws `OperatorError` when a page
 * leads nowhere.
 */
export async function* pagesOf<Node>(
  read: (after: string | null) => Promise<ListPage<Node>>,
): AsyncGenerator<ListPage<Node>, void, void> {
  for (let after: string | null = null; ;) {
    const page: ListPage<Node> = await read(after)
    yield page
    const { hasNextPage, endCursor } = page.pageInfo
    if (!hasNextPage) return
    if (endCursor === null || endCursor === after) throw new OperatorError('The list has no end.')
    after = endCursor
  }
}

/** Returns the first nodes of a list, at most `limit`, and whether others may follow. `first` is the size of a page. */
export async function firstOf<Node>(
  limit: number,
  read: (page: { readonly first: number; readonly after: string | null }) => Promise<ListPage<Node>>,
): Promise<{ readonly nodes: readonly Node[]; readonly more: boolean }> {
  const nodes: Node[] = []
  for await (const page of pagesOf((after) => read({ first: Math.min(PAGE, limit - nodes.length), after }))) {
    nodes.push(...page.nodes)
    if (nodes.length >= limit) return { nodes, more: page.pageInfo.hasNextPage }
  }
  return { nodes, more: false }
}

/** Maximum page size of the graph. */
export const PAGE = 100

/** Placeholder for an empty value. */
export const NOTHING = '-'

/** Formats a table with columns as wide as their content. */
export function table(head: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  const lines = [head, ...rows].map((row) => row.map((cell) => plain(cell ?? NOTHING).replaceAll('\n', ' ')))
  const widths = head.map((_name, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats one line per name and value. */
export function facts(pairs: readonly (readonly [name: string, value: string | null])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${plain(value ?? NOTHING)}`).join('\n')
}

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The operation was refused or failed: exit code 1. The message is for the operator and contains no secrets. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

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

export const graphqlAnswer = z.object({ data: z.unknown().optional(), errors: z.array(fieldError).optional() })

const TIMEOUT_MS = 15_000
/**
 * Explicit, since NODE_TLS_REJECT_UNAUTHORIZED changes the default: the token must be sent only to a server with a valid
 * certificate.
 */
const VERIFIED = new Agent({ connect: { rejectUnauthorized: true } })

/** Address of a graph, and the token that it is sent. */
export type Graph = { readonly url: string; readonly token: string }

/** Returns a client of the graph at `url` that sends `token`. Redirects are not followed: the token is for this URL only. */
export function createClient({ url, token }: Graph): Ask {
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
    return `No response from ${url} within ${TIMEOUT_MS / 1000} s. A replay may have been applied: check its delivery.`
  return `No subgraph answers at ${url} (${reasonOf(error)}). Start it, or give its address with --url or SUBGRAPH_URL.`
}

/** Returns the code of an error of the network, or what it says. */
export function reasonOf(error: unknown): string {
  const { cause = error } = Object(error) as { readonly cause?: unknown }
  if (!(cause instanceof Error)) return 'unknown'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : plain(cause.message)
}

/** Returns advice for an error of the whole operation. */
function explain({ message, extensions }: FieldError, { scopes }: OperatorDocument): string {
  switch (extensions?.code) {
    case 'UNAUTHENTICATED':
      return `The token in SUBGRAPH_TOKEN is not accepted: ${plain(message)}`
    case 'FORBIDDEN':
      return `The token in SUBGRAPH_TOKEN lacks a scope of: ${scopes.join(' ')}`
    case 'UNTRUSTED_DOCUMENT':
      return 'The subgraph runs trusted documents only. Add what the command "documents" prints to its manifest.'
    case 'GRAPHQL_VALIDATION_FAILED':
      return `The versions of the subgraph and of this command differ: ${plain(message)}`
    default:
      return `The subgraph refused: ${plain(message)}`
  }
}
