/** A mutation under an idempotency key of the client. */
export type CommandName = { readonly mutation: string; readonly key: string }

/** What a request asks for, as far as its bytes tell without being parsed. */
export type OperationText = {
  readonly kind: 'query' | 'mutation' | 'subscription'
  /** Names of mutations and idempotency keys in it, which may stand for a command. */
  readonly commands: readonly CommandName[]
}

export type OperationTextReader = (body: string) => OperationText

export type OperationTextOptions = {
  /** Names of all mutations. */
  readonly mutations: readonly string[]
  /** The text of a trusted document; null for an id that is none. */
  readonly documentOf: (id: string) => string | null
}

/** Without any of these words a request is a query. */
const WORDS = /mutation|subscription|sha256Hash|documentId/
const QUERY: OperationText = { kind: 'query', commands: [] }
/** The word as it begins an operation: not in the middle of a name, and after an escaped line break too. */
const OPERATION = /(?:^|[^\w\\]|\\[nrt])(mutation|subscription)(?=[\s{(@,#\\])/g
const DOCUMENT_ID = /"(?:sha256Hash|documentId)"\s{0,9}:\s{0,9}"([^"\\]{1,200})"/
const KEY = /\b(?:idempotencyKey|clientTransactionId)\\?"?\s{0,9}:\s{0,9}\\?"([^"\\]{1,255})/g
/** A request holds few commands; what is beyond is not looked for. */
const MAX_COMMANDS = 4

/**
 * Reads what a request asks for off its body, in linear time and without parsing it: it has not been admitted yet. A guess
 * that can be wrong only about requests that are written to mislead, and decides in which queue a request waits, and
 * nothing else.
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
