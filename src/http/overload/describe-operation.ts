import type { Caller } from '../../access/caller.ts'
import type { Entry } from './admission-queue.ts'

export type DescribeOptions = {
  readonly readOperation: OperationTextReader
  /** Whether one of these commands has an idempotency record of the caller: then it must not be refused. */
  readonly isRecorded: (commands: readonly CommandName[], caller: Caller) => Promise<boolean>
}

type DescribedOperation = Pick<Entry, 'mustAnswer'> & Pick<OperationText, 'kind'>

/** What the queues need to know about an operation that has not been parsed. */
export function describeOperation(
  { readOperation, isRecorded }: DescribeOptions,
  text: string,
  caller: Caller,
): DescribedOperation {
  const { kind, commands } = readOperation(text)
  // Without a token every mutation is denied, so the request counts as a query.
  if (kind === 'mutation' && caller.kind === 'anonymous') return { kind: 'query', mustAnswer: undefined }
  return { kind, mustAnswer: commands.length > 0 ? () => isRecorded(commands, caller) : undefined }
}

/** A mutation and its idempotency key. */
type CommandName = { readonly mutation: string; readonly key: string }

/** What the unparsed text of a request reveals about it. */
export type OperationText = {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** Mutation names and idempotency keys in the text, which may be commands. */
  readonly commands: readonly CommandName[]
}

type OperationTextReader = (body: string) => OperationText

type OperationTextOptions = {
  /** Names of all mutations. */
  readonly mutations: readonly string[]
  /** Returns the text of a trusted document; null for an unknown id. */
  readonly documentOf: (id: string) => string | null
}

/** A request without any of these words is a query. */
const WORDS = /mutation|subscription|sha256Hash|documentId/
const QUERY: OperationText = { kind: 'query', commands: [] }
/** The keyword at the beginning of an operation: not within a name; also after an escaped line break. */
const OPERATION = /(?:^|[^\w\\]|\\[nrt])(mutation|subscription)(?=[\s{(@,#\\])/g
const DOCUMENT_ID = /"(?:sha256Hash|documentId)"\s{0,9}:\s{0,9}"([^"\\]{1,200})"/
const KEY = /\b(?:idempotencyKey|clientTransactionId)\\?"?\s{0,9}:\s{0,9}\\?"([^"\\]{1,255})/g
/** Largest number of commands that are looked for. */
const MAX_COMMANDS = 4

/**
 * Classifies a request by its body in linear time, without parsing, because it has not been admitted yet. The result can be wrong only
 * for requests that are written to mislead, and it only selects the queue.
 */
export function createOperationTextReader({ mutations, documentOf }: OperationTextOptions): OperationTextReader {
  return (body) => {
    if (!WORDS.test(body)) return QUERY
    const id = DOCUMENT_ID.exec(body)?.[1]
    const text = id === undefined ? body : `${documentOf(id) ?? ''}\n${body}`
    const kinds = new Set([...text.matchAll(OPERATION)].map(([, word]) => word))
    if (!kinds.has('mutation')) return { kind: kinds.has('subscription') ? 'subscription' : 'query', commands: [] }
    return { kind: 'mutation', commands: commandsIn(text, mutations) }
  }
}

function commandsIn(text: string, mutations: readonly string[]): CommandName[] {
  const named = mutations.filter((mutation) => text.includes(mutation))
  const keys = new Set([...text.matchAll(KEY)].map(([, key = '']) => key))
  return [...keys].flatMap((key) => named.map((mutation) => ({ mutation, key }))).slice(0, MAX_COMMANDS)
}
